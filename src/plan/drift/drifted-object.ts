import type {DryApply} from '../../kubernetes/dry-run/dry-runs.ts'
import {isScaled, type ScaleTarget} from '../../kubernetes/gate/scale-targets.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {isSecretField, redactSides} from '../../redact/diff.ts'
import type {Redact} from '../../redact/redact.ts'
import {conflictPath} from './conflict-path.ts'
import {differences, type FieldDifference, pathText} from './differences.ts'

/** A field that differs from the manifest. */
export interface DriftedField {
  /** The path, such as `spec.template.spec.containers[main].image`. */
  readonly path: string
  /** The values without secrets; both are omitted if they are secret, and one if that side has none. */
  readonly live?: unknown
  readonly manifest?: unknown
  readonly masked?: true
  /** The manager that owns the field: without `--force-conflicts` an upgrade fails. */
  readonly manager?: string
}

/** An object that differs from the manifest. */
export interface DriftedObject {
  readonly kind: string
  readonly name: string
  readonly namespace: string
  /** `unknown`: the API server refused the dry run. */
  readonly state: 'changed' | 'gone' | 'unknown'
  readonly fields: readonly DriftedField[]
  /** Why the state is unknown, or what else is gone. */
  readonly message?: string
}

export interface DriftContext {
  /** The namespace of objects without one. */
  readonly namespace: string
  readonly scaled: readonly ScaleTarget[]
  /** Removes the known secrets of the release from a string. */
  readonly redact: Redact
}

/**
 * Returns the changes that an apply would make to an object, without secrets; undefined if it changes
 * nothing.
 */
export function driftedObject(dry: DryApply, context: DriftContext): DriftedObject | undefined {
  const {object} = dry
  const {kind, metadata} = object
  const identity = {kind, name: metadata.name, namespace: metadata.namespace ?? context.namespace}
  if (dry.state === 'refused')
    return {...identity, state: 'unknown', fields: [], message: context.redact(dry.message)}
  if (dry.state === 'gone') {
    const message = dry.missing === 'kind' ? {message: `the cluster no longer serves ${kind}`} : {}
    return {...identity, state: 'gone', fields: [], ...message}
  }
  const managers = new Map(dry.conflicts.map(({field, manager}) => [conflictPath(field), manager]))
  const fields = differences(dry.live, dry.applied)
    .filter((difference) => isManifests(object, difference, context.scaled))
    .map((difference) => driftedField(object, difference, {managers, redact: context.redact}))
  return fields.length === 0 ? undefined : {...identity, state: 'changed', fields}
}

interface FieldContext {
  readonly managers: ReadonlyMap<string, string>
  readonly redact: Redact
}

function driftedField(
  object: KubernetesObject,
  {path, live, applied}: FieldDifference,
  {managers, redact}: FieldContext,
): DriftedField {
  const name = pathText(path)
  const manager = findManager(name, managers)
  const by = manager === undefined ? {} : {manager}
  if (isSecretField(object, path)) return {path: name, masked: true, ...by}
  const [shown, manifest] = redactSides(live, applied, redact)
  return {
    path: name,
    ...(live !== undefined && {live: shown}),
    ...(applied !== undefined && {manifest}),
    ...by,
  }
}

/**
 * Returns the manager of a field. A conflict may name the field itself, a field that contains it, or a part
 * of it.
 */
function findManager(path: string, managers: ReadonlyMap<string, string>): string | undefined {
  const isPart = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
  const conflict = [...managers].find(([field]) => isPart(field, path) || isPart(path, field))
  return conflict?.[1]
}

/** The fields of metadata that the API server writes at every change. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'uid',
  'selfLink',
])

/**
 * The fields in which controllers write the certificate of a webhook or an API, whatever the manifest has.
 */
const CERTIFICATE =
  /^(?:webhooks\.\[[^\]]*\]\.clientConfig|spec\.conversion\.webhook\.clientConfig|spec)\.caBundle$/
const CERTIFIED: ReadonlySet<string> = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
])

/**
 * Returns true if the manifest determines a field. It does not determine the status, the API server's own
 * metadata, injected certificates, or the replicas of an autoscaled object; an autoscaler does not scale up
 * from zero.
 */
function isManifests(
  {kind, metadata}: Pick<KubernetesObject, 'kind' | 'metadata'>,
  {path, live}: Pick<FieldDifference, 'path' | 'live'>,
  scaled: readonly ScaleTarget[],
): boolean {
  const [first, second] = path
  if (first === 'status') return false
  if (first === 'metadata' && second !== undefined && OF_THE_SERVER.has(second)) return false
  if (CERTIFIED.has(kind) && CERTIFICATE.test(path.join('.'))) return false
  const isReplicas = path.length === 2 && first === 'spec' && second === 'replicas'
  return !(isReplicas && isScaled({kind, name: metadata.name}, live, scaled))
}
