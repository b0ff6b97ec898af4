import type {DryApply, KubernetesObject, ScaleTarget} from '../../cluster/cluster.ts'
import {isSecretField, redactSides} from '../../helm/redact/diff.ts'
import type {Redact} from '../../helm/redact/redact.ts'
import {conflictPath} from './conflict-path.ts'
import {differences, type FieldDifference, pathText} from './differences.ts'

/** A field that is not as the manifest says. */
export interface DriftedField {
  /** E.g. `spec.template.spec.containers[main].image`. */
  readonly path: string
  /** Values without secrets; both are left out when they are secret themselves, and one where that side has none. */
  readonly live?: unknown
  readonly manifest?: unknown
  readonly masked?: true
  /** Who manages it, where helm would have to take it from them: an upgrade without `--force-conflicts` fails. */
  readonly manager?: string
}

/** An object that is not as the manifest says. */
export interface DriftedObject {
  readonly kind: string
  readonly name: string
  readonly namespace: string
  /** `unknown`: the API server would not say. */
  readonly state: 'changed' | 'gone' | 'unknown'
  readonly fields: readonly DriftedField[]
  /** Why it is unknown, or what is gone with it. */
  readonly message?: string
}

export interface DriftContext {
  /** Of the objects that name none. */
  readonly namespace: string
  readonly scaled: readonly ScaleTarget[]
  /** Takes the known secrets of the release out of a text. */
  readonly redact: Redact
}

/** What of an object an apply would change; undefined when that is nothing. Holds no secret. */
export function driftedObject(dry: DryApply, context: DriftContext): DriftedObject | undefined {
  const {object} = dry
  const {kind, metadata} = object
  const named = {kind, name: metadata.name, namespace: metadata.namespace ?? context.namespace}
  if (dry.state === 'refused')
    return {...named, state: 'unknown', fields: [], message: context.redact(dry.message)}
  if (dry.state === 'gone') {
    const message = dry.missing === 'kind' ? {message: `the cluster does not know ${kind} any more`} : {}
    return {...named, state: 'gone', fields: [], ...message}
  }
  const managers = new Map(dry.conflicts.map(({field, manager}) => [conflictPath(field), manager]))
  const fields = differences(dry.live, dry.applied)
    .filter((difference) => isManifests(object, difference, context.scaled))
    .map((difference) => driftedField(object, difference, {managers, redact: context.redact}))
  return fields.length === 0 ? undefined : {...named, state: 'changed', fields}
}

interface Shown {
  readonly managers: ReadonlyMap<string, string>
  readonly redact: Redact
}

function driftedField(
  object: KubernetesObject,
  {path, live, applied}: FieldDifference,
  {managers, redact}: Shown,
): DriftedField {
  const name = pathText(path)
  const manager = managerOf(name, managers)
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

/** A conflict may name the field itself, what it is part of, or a part of it. */
function managerOf(path: string, managers: ReadonlyMap<string, string>): string | undefined {
  const isPart = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
  const found = [...managers].find(([field]) => isPart(field, path) || isPart(path, field))
  return found?.[1]
}

/** What the API server itself writes at every change. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'uid',
  'selfLink',
])

/** Where controllers put the certificate of a webhook or an API, whatever the manifest says. */
const CERTIFICATE =
  /^(?:webhooks\.\[[^\]]*\]\.clientConfig|spec\.conversion\.webhook\.clientConfig|spec)\.caBundle$/
const CERTIFIED: ReadonlySet<string> = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
])

/**
 * Whether a field is the manifest's to say: not the status, nor what the API server counts, nor injected certificates,
 * nor the replicas of what an autoscaler scales.
 */
function isManifests(
  {kind, metadata}: Pick<KubernetesObject, 'kind' | 'metadata'>,
  {path}: Pick<FieldDifference, 'path'>,
  scaled: readonly ScaleTarget[],
): boolean {
  const [first, second] = path
  if (first === 'status') return false
  if (first === 'metadata' && second !== undefined && OF_THE_SERVER.has(second)) return false
  if (CERTIFIED.has(kind) && CERTIFICATE.test(path.join('.'))) return false
  const isReplicas = path.length === 2 && first === 'spec' && second === 'replicas'
  return !(isReplicas && scaled.some((target) => target.kind === kind && target.name === metadata.name))
}
