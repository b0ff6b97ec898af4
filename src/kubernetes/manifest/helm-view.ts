import {isMap} from '../../base/values.ts'
import type {KubernetesObject} from './kubernetes-object.ts'

/**
 * The annotations that helm reads for an object, if they differ from those of the object itself. Helm reads
 * only the head of each rendered document: the annotations of a List apply to its items, whatever the items
 * have themselves (Helm 4.2: release/v1/util/manifest_sorter.go SimpleHead; Helm 3 reads the same).
 */
const HEAD = Symbol('the annotations of the document')

type Annotations = Readonly<Record<string, unknown>>

/** An object with the annotations that helm reads. */
type HelmView = Pick<KubernetesObject, 'kind' | 'metadata'> & {readonly [HEAD]?: Annotations}

/** Returns an item of a List with the annotations of the List attached. */
export function underHead(item: KubernetesObject, annotations: Annotations): KubernetesObject {
  const view: KubernetesObject & HelmView = {...item, [HEAD]: annotations}
  return view
}

const HEAD_IN_JSON = 'helm.sh/head'

/** A replacer for `JSON.stringify` that keeps the heads of Lists' items, for `readHead` as the reviver. */
export function writeHead(_key: string, value: unknown): unknown {
  if (!isMap(value)) return value
  const {[HEAD]: head}: {readonly [HEAD]?: Annotations} = value
  return head === undefined ? value : {...value, [HEAD_IN_JSON]: head}
}

/** The reviver for the output of `writeHead`. */
export function readHead(_key: string, value: unknown): unknown {
  if (!isMap(value) || !isMap(value[HEAD_IN_JSON])) return value
  const {[HEAD_IN_JSON]: head, ...item} = value
  return underHead(item as KubernetesObject, head as Annotations)
}

/**
 * Returns an annotation of the document as a string, as helm's YAML reads it; undefined if the document does
 * not have it.
 */
function annotation({metadata, [HEAD]: head = metadata.annotations ?? {}}: HelmView, name: string) {
  return Object.hasOwn(head, name) ? String(head[name] ?? '') : undefined
}

/** The annotation that makes an object a hook; its value lists the events. */
export const HOOK = 'helm.sh/hook'

const HOOK_EVENTS: ReadonlySet<string> = new Set([
  ...['pre', 'post'].flatMap((when) =>
    ['install', 'upgrade', 'rollback', 'delete'].map((what) => `${when}-${what}`),
  ),
  ...['test', 'test-success'],
])

/**
 * Returns true for an object that helm creates as a hook: separately from the others, and again at each of
 * its events.
 */
export function isHook(object: HelmView): boolean {
  return hookEvents(object).length > 0
}

/** Returns the objects that helm creates, updates and deletes with the release: all except hooks. */
export function withoutHooks<T extends HelmView>(objects: readonly T[]): readonly T[] {
  return objects.filter((object) => !isHook(object))
}

/**
 * Returns the events of a hook, in lower case: `pre-install`, `test`; none for an object that is no hook.
 * Helm does not render a document with an unknown event; in `crds/` the annotation is ignored.
 */
export function hookEvents(object: HelmView): readonly string[] {
  const events = words(object, HOOK)
  return events.every((event) => HOOK_EVENTS.has(event)) ? events : []
}

/** Helm treats the older name as a synonym (Helm 4.2: release/v1/util/manifest_sorter.go events). */
const TEST_EVENTS: readonly string[] = ['test', 'test-success']

/** Returns true for a hook that `helm test` runs. */
export function isTestHook(object: HelmView): boolean {
  return hookEvents(object).some((event) => TEST_EVENTS.includes(event))
}

/**
 * Returns the weight of a hook; 0 if it has none, or if it is not an integer (Helm 4.2: manifest_sorter.go
 * calculateHookWeight).
 */
export function hookWeight(object: HelmView): number {
  const value = annotation(object, 'helm.sh/hook-weight') ?? ''
  return /^[+-]?\d+$/.test(value) ? Number(value) : 0
}

/**
 * Returns when helm deletes a hook: `before-hook-creation` (the default), `hook-succeeded`, `hook-failed`.
 * Helm never deletes a CustomResourceDefinition (Helm 4.2: hooks.go hookSetDeletePolicy, deleteHookByPolicy;
 * it checks the kind of the document, which for an item of a List is the List).
 */
export function hookDeletePolicies(object: HelmView): readonly string[] {
  if (object.kind === 'CustomResourceDefinition' && object[HEAD] === undefined) return []
  const policies = words(object, 'helm.sh/hook-delete-policy')
  return policies.length === 0 ? ['before-hook-creation'] : policies
}

const RESOURCE_POLICY = 'helm.sh/resource-policy'
const KEEP = 'keep'

/**
 * Returns true for an object that `helm uninstall` keeps: its document has a resource policy, whatever its
 * value. Helm lists only `keep` as kept, but deletes no other value either (Helm 4.2:
 * action/resource_policy.go filterManifestsToKeep).
 */
export function isKeptAtUninstall(object: HelmView): boolean {
  return annotation(object, RESOURCE_POLICY) !== undefined
}

/**
 * Returns true for an object that an upgrade or a rollback keeps if the revision does not have it. Here helm
 * reads the live object, even if it was in a List, and compares the value exactly (Helm 4.2: kube/client.go
 * update).
 */
export function isKeptInUpgrade({metadata}: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.annotations?.[RESOURCE_POLICY] === KEEP
}

/** The annotation that keeps an object which helm would delete. */
export const KEEP_ANNOTATION: Readonly<Record<string, string>> = {[RESOURCE_POLICY]: KEEP}

/**
 * Splits as Helm does: at commas, without regard to case and to spaces around each word (Helm 4.2:
 * manifest_sorter.go operateAnnotationValues).
 */
function words(object: HelmView, name: string): readonly string[] {
  const value = annotation(object, name)
  return value === undefined ? [] : value.split(',').map((word) => word.trim().toLowerCase())
}
