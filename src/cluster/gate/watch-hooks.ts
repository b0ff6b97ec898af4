import {redactSecretsOf} from '../../helm/redact/objects.ts'
import type {ApiClient} from '../api/client.ts'
import type {Cause, HookWatch, HookWatchOptions} from '../cluster.ts'
import type {Watches} from '../watch/watches.ts'
import {redactHealth} from './cause.ts'
import {collectionsOf, evaluate, type GatedObject, gatedObjects} from './evaluate.ts'
import {gatherEvidence} from './evidence.ts'
import {observation} from './observation.ts'
import {isRelevant} from './relevant.ts'

const NO_HOOKS: HookWatch = {blames: async () => [], stop: () => undefined}

/** Watches hooks while helm waits for them; see `Cluster.watchHooks`. */
export async function watchHookObjects(
  client: ApiClient,
  watches: Watches,
  options: HookWatchOptions,
): Promise<HookWatch> {
  const {namespace, hooks, signal} = options
  const gated = gatedObjects(namespace, hooks)
  if (gated.length === 0) return NO_HOOKS
  const redact = redactSecretsOf(hooks, options.redact)
  const evidence = gatherEvidence(client, namespace, redact)
  const collections = collectionsOf(gated).map((one) => watches.collection(one.resource, one.namespace))
  await Promise.all(collections.map((collection) => collection.attempted()))
  const left = leftovers(watches, gated)
  const failing = new Map<string, readonly Cause[]>()
  let reported = '[]'

  const look = () => {
    const seen = observation(watches.collection)
    const current: Cause[] = []
    for (const hook of present(watches, gated, left)) {
      const health = redactHealth(evaluate([hook], seen), redact)
      const blames = health.state === 'healthy' ? [] : health.blames
      // A hook that helm has deleted keeps its last cause; one that has ended well is forgotten.
      if (blames.length > 0) failing.set(hook.name, blames)
      else failing.delete(hook.name)
      current.push(...blames)
    }
    evidence.note(current)
    const now = JSON.stringify(current)
    if (now !== reported) options.onProgress?.(current)
    reported = now
  }

  const ends = collections.map((collection) =>
    collection.subscribe((changed) => {
      if (changed === undefined || isRelevant(changed, collection, gated, watches)) look()
    }),
  )
  const stop = () => {
    for (const end of ends) end()
    signal?.removeEventListener('abort', stop)
  }
  signal?.addEventListener('abort', stop)
  return {blames: () => evidence.explain([...failing.values()].flat()), stop}
}

/** Returns the UIDs of hooks of an earlier revision, which stay until helm replaces them. */
function leftovers(watches: Watches, gated: readonly GatedObject[]): ReadonlySet<string | undefined> {
  return new Set(
    gated.map((one) => watches.collection(one.resource, one.namespace).get(one.name)?.metadata.uid),
  )
}

/**
 * Returns the hooks that exist and are of this revision. Helm makes them one after the other, so one that does not
 * exist yet is not the cause.
 */
function present(
  watches: Watches,
  gated: readonly GatedObject[],
  left: ReadonlySet<string | undefined>,
): GatedObject[] {
  return gated.filter((one) => {
    const found = watches.collection(one.resource, one.namespace).get(one.name)
    return found !== undefined && !left.has(found.metadata.uid)
  })
}
