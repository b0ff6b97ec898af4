import {isMap} from '../../base/values.ts'
import type {KubernetesObject} from './kubernetes-object.ts'

/**
 * The annotations that helm reads for an object, where they are not its own. Helm reads the head of each rendered
 * document and nothing below it: for the items of a List those of the List decide, whatever the items bear themselves
 * (Helm 4.2: release/v1/util/manifest_sorter.go SimpleHead; Helm 3 reads the same).
 */
const HEAD = Symbol('the annotations of the document')

type Annotations = Readonly<Record<string, unknown>>

/** An object as helm sees it: by the head of its document. */
type Seen = Pick<KubernetesObject, 'kind' | 'metadata'> & {readonly [HEAD]?: Annotations}

/** Returns an item of a List, seen by helm under the annotations of that List. */
export function underHead(item: KubernetesObject, annotations: Annotations): KubernetesObject {
  const seen: KubernetesObject & Seen = {...item, [HEAD]: annotations}
  return seen
}

const HEAD_IN_JSON = 'helm.sh/head'

/** A replacer for `JSON.stringify` that keeps what helm sees of the items of Lists, for `readHead` as the reviver. */
export function writeHead(_key: string, value: unknown): unknown {
  if (!isMap(value)) return value
  const {[HEAD]: head}: {readonly [HEAD]?: Annotations} = value
  return head === undefined ? value : {...value, [HEAD_IN_JSON]: head}
}

/** The reviver for what `writeHead` wrote. */
export function readHead(_key: string, value: unknown): unknown {
  if (!isMap(value) || !isMap(value[HEAD_IN_JSON])) return value
  const {[HEAD_IN_JSON]: head, ...item} = value
  return underHead(item as KubernetesObject, head as Annotations)
}

/** Returns an annotation of the document, as text, as helm's YAML reads it; undefined if the document does not have it. */
function annotation({metadata, [HEAD]: head = metadata.annotations ?? {}}: Seen, name: string) {
  return Object.hasOwn(head, name) ? String(head[name] ?? '') : undefined
}

/** The annotation that makes an object a hook; its value names the events. */
export const HOOK = 'helm.sh/hook'

const EVENTS: ReadonlySet<string> = new Set([
  ...['pre', 'post'].flatMap((when) =>
    ['install', 'upgrade', 'rollback', 'delete'].map((what) => `${when}-${what}`),
  ),
  ...['test', 'test-success'],
])

/** Returns true for an object that helm makes as a hook: apart from the others, and again at each of its events. */
export function isHook(object: Seen): boolean {
  return hookEvents(object).length > 0
}

/** Returns the objects that helm makes, updates and deletes with the release: all but hooks. */
export function withoutHooks<T extends Seen>(objects: readonly T[]): readonly T[] {
  return objects.filter((object) => !isHook(object))
}

/**
 * Returns the events of a hook, in lower case: `pre-install`, `test`; none for an object that is no hook. A document of
 * which helm does not know one event is not rendered; in `crds/` the annotation is ignored.
 */
export function hookEvents(object: Seen): readonly string[] {
  const events = words(object, HOOK)
  return events.every((event) => EVENTS.has(event)) ? events : []
}

/** Helm reads the older name as the same (Helm 4.2: release/v1/util/manifest_sorter.go events). */
const TEST_EVENTS: readonly string[] = ['test', 'test-success']

/** Returns true for a hook that `helm test` runs. */
export function isTestHook(object: Seen): boolean {
  return hookEvents(object).some((event) => TEST_EVENTS.includes(event))
}

/**
 * Returns the weight of a hook; 0 if none is stated, or it is no whole number (Helm 4.2: manifest_sorter.go
 * calculateHookWeight).
 */
export function hookWeight(object: Seen): number {
  const text = annotation(object, 'helm.sh/hook-weight') ?? ''
  return /^[+-]?\d+$/.test(text) ? Number(text) : 0
}

/**
 * Returns when helm deletes a hook: `before-hook-creation`, which is the default, `hook-succeeded`, `hook-failed`. Helm
 * never deletes a definition of a kind (Helm 4.2: hooks.go hookSetDeletePolicy, deleteHookByPolicy; it looks at the kind
 * of the document, which for an item of a List is the List).
 */
export function hookDeletePolicies(object: Seen): readonly string[] {
  if (object.kind === 'CustomResourceDefinition' && object[HEAD] === undefined) return []
  const policies = words(object, 'helm.sh/hook-delete-policy')
  return policies.length === 0 ? ['before-hook-creation'] : policies
}

const RESOURCE_POLICY = 'helm.sh/resource-policy'
const KEEP = 'keep'

/**
 * Returns true for an object that `helm uninstall` leaves: its document has a resource policy, whatever its value. Helm
 * lists only `keep` as kept, and deletes no other either (Helm 4.2: action/resource_policy.go filterManifestsToKeep).
 */
export function staysAtUninstall(object: Seen): boolean {
  return annotation(object, RESOURCE_POLICY) !== undefined
}

/**
 * Returns true for an object that an upgrade or a rollback leaves when the revision does not have it. Here helm reads the
 * live object, even if it was in a List, and takes the word as it is (Helm 4.2: kube/client.go update).
 */
export function staysInUpgrade({metadata}: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.annotations?.[RESOURCE_POLICY] === KEEP
}

/** The annotation that keeps an object which helm would delete. */
export const KEPT: Readonly<Record<string, string>> = {[RESOURCE_POLICY]: KEEP}

/**
 * Splits as Helm does: at commas, without regard to case and to spaces around each word (Helm 4.2: manifest_sorter.go
 * operateAnnotationValues).
 */
function words(object: Seen, name: string): readonly string[] {
  const text = annotation(object, name)
  return text === undefined ? [] : text.split(',').map((word) => word.trim().toLowerCase())
}
