import {setTimeout as wait} from 'node:timers/promises'
import {asKkError, type KkError} from '../../base/errors.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import type {ApiClient} from '../api/client.ts'
import {JOBS, PODS, readObject} from '../api/resources.ts'
import {hookEvents, isHook} from '../manifest/helm-view.ts'
import {objectName} from '../manifest/manifest.ts'
import type {Watches} from '../watch/watches.ts'
import {redactHealth} from './cause.ts'
import {
  collectionsOf,
  DELETED_EARLY,
  evaluate,
  type GatedObject,
  gatedObjects,
  isAutoDeleted,
  MAX_EVENT_DELAY_MS,
  NOT_SEEN,
} from './evaluate.ts'
import {gatherEvidence} from './evidence.ts'
import {type Cause, failureCauses} from './health.ts'
import type {HookWatch, HookWatchOptions} from './health-checks.ts'
import {findCondition, hasCompleted, type Observed, type Pod} from './kinds/observed.ts'
import {observation} from './observation.ts'
import {isRelevant} from './relevant.ts'

export const NO_HOOKS: HookWatch = {
  blames: async () => [],
  deleted: () => [],
  incomplete: async () => [],
  stop: () => undefined,
}

/**
 * Watches hooks while helm waits for them, and Jobs that may vanish before their gate; see
 * `HealthChecks.watchHooks`.
 */
export async function watchHookObjects(
  client: ApiClient,
  watches: Watches,
  options: HookWatchOptions,
): Promise<HookWatch> {
  const {namespace, objects, signal, mustShow = []} = options
  const hooks = objects.filter(isHook)
  const gated = gatedObjects(namespace, hooks).filter(isAwaitedByHelm)
  const mustRun = hooks.filter((hook) => hookEvents(hook).some((event) => mustShow.includes(event)))
  const expected = new Set(gatedObjects(namespace, mustRun).map(collectionName))
  const vanishing = gatedObjects(
    namespace,
    objects.filter((object) => !isHook(object) && isAutoDeleted(object)),
  )
  const collections = collectionsOf([...gated, ...vanishing]).map((one) =>
    watches.collection(one.resource, one.namespace),
  )
  await Promise.all(collections.map((collection) => collection.attempted()))
  for (const one of vanishing) hookCollection(watches, one).forget(one.name)
  if (gated.length === 0) return NO_HOOKS
  const redact = redactSecretsOf(hooks, options.redact)
  const evidence = gatherEvidence(client, namespace, redact)
  const outcomes = hookOutcomes(
    watches,
    gated,
    gated.filter((hook) => expected.has(collectionName(hook))),
  )
  const failing = new Map<string, readonly Cause[]>()
  let reported = '[]'

  const update = () => {
    outcomes.update()
    const seen = observation(watches.collection, client.now())
    const current: Cause[] = []
    for (const hook of outcomes.present()) {
      const causes = failureCauses(redactHealth(evaluate([hook], seen), redact))
      // A hook that helm has deleted keeps its last cause; a hook that has completed has none.
      if (causes.length > 0) failing.set(hook.name, causes)
      else failing.delete(hook.name)
      current.push(...causes)
    }
    const deleted = outcomes.deleted()
    for (const {name} of deleted) failing.delete(name)
    current.push(...deleted.map(deletedEarly))
    evidence.note(current)
    const now = JSON.stringify(current)
    if (now !== reported) options.onProgress?.(current)
    reported = now
  }

  const ends = collections.map((collection) =>
    collection.subscribe((changed) => {
      if (changed === undefined || isRelevant(changed, collection, gated, watches)) update()
    }),
  )
  const stop = () => {
    for (const end of ends) end()
    signal?.removeEventListener('abort', stop)
  }
  signal?.addEventListener('abort', stop)
  return {
    blames: () =>
      evidence.explain([...[...failing.values()].flat(), ...outcomes.deleted().map(deletedEarly)]),
    deleted: () => outcomes.deleted().map(deletedEarly),
    incomplete: () => outcomes.incomplete(client),
    stop,
  }
}

/** Helm awaits no other kinds of hooks (Helm 3.21: kube/client.go watchUntilReady). */
function isAwaitedByHelm({resource: {kind}}: GatedObject): boolean {
  return kind === JOBS.kind || kind === PODS.kind
}

function hookCollection(watches: Watches, {resource, namespace}: GatedObject) {
  return watches.collection(resource, namespace)
}

/** Returns a name that is unique among the hooks of a release. */
function collectionName({resource: {kind}, namespace, name}: GatedObject): string {
  return `${namespace}/${kind}/${name}`
}

function deletedEarly(hook: GatedObject): Cause {
  return notSeenCause(hook, DELETED_EARLY)
}

function notSeenCause({resource: {kind}, namespace, name}: GatedObject, message: string): Cause {
  return {object: objectName({kind, metadata: {name}}), namespace, message, reason: NOT_SEEN}
}

/** The outcomes of the hooks that helm creates in one operation. */
interface HookOutcomes {
  /** Records the present state in the watches. */
  update(): void
  /**
   * Returns the hooks that exist. Helm creates them in sequence, so a hook that does not exist yet is not the
   * cause.
   */
  present(): readonly GatedObject[]
  /** Returns the hooks that are gone and were not observed to end. */
  deleted(): readonly GatedObject[]
  /** Returns a cause for each hook that was not observed to complete, after waiting for late events. */
  incomplete(client: ApiClient): Promise<readonly Cause[]>
}

/**
 * `expected` are the hooks that must be observed to complete, because a success of helm does not prove it.
 */
function hookOutcomes(
  watches: Watches,
  gated: readonly GatedObject[],
  expected: readonly GatedObject[],
): HookOutcomes {
  const current = (hook: GatedObject) => hookCollection(watches, hook).get(hook.name)
  // Hooks of an earlier revision exist until helm replaces them.
  const earlier = new Set(gated.map((hook) => current(hook)?.metadata.uid))
  /** The UID of the last observed instance of each hook. */
  const instances = new Map<GatedObject, string | undefined>()
  const ended = new Set<string | undefined>()
  const completed = new Set<string | undefined>()

  function note(hook: Observed): void {
    const {uid} = hook.metadata
    if (hasCompleted(hook)) completed.add(uid)
    if (hasCompleted(hook) || hasFailed(hook)) ended.add(uid)
  }

  function update(): void {
    for (const hook of gated) {
      const live = current(hook)
      if (live && !earlier.has(live.metadata.uid)) {
        instances.set(hook, live.metadata.uid)
        note(live)
      }
      const gone = hookCollection(watches, hook).gone(hook.name)
      if (gone && gone.metadata.uid === instances.get(hook)) note(gone)
    }
  }

  const isGone = (hook: GatedObject) =>
    instances.has(hook) && current(hook)?.metadata.uid !== instances.get(hook)

  async function whyIncomplete(client: ApiClient, hook: GatedObject): Promise<readonly Cause[]> {
    const live = await readWithRetries(client, hook)
    if (live === undefined) await untilGone(hook)
    update()
    if (completed.has(instances.get(hook))) return []
    if (live instanceof Error)
      return [notSeenCause(hook, `it is not known whether it has completed: ${live.message}`)]
    // Helm 4, but not helm 3, waits for a hook that was re-created by hand.
    if (live && hasCompleted(live)) return []
    return [instances.has(hook) ? deletedEarly(hook) : notSeenCause(hook, NEVER_SEEN)]
  }

  function untilGone(hook: GatedObject): Promise<void> {
    const {promise, resolve} = Promise.withResolvers<void>()
    const end = hookCollection(watches, hook).subscribe(() => {
      if (isGone(hook)) resolve()
    })
    const timer = setTimeout(resolve, MAX_EVENT_DELAY_MS)
    if (isGone(hook)) resolve()
    return promise.finally(() => {
      clearTimeout(timer)
      end()
    })
  }

  return {
    update,
    present: () =>
      gated.filter((hook) => {
        const live = current(hook)
        return live !== undefined && !earlier.has(live.metadata.uid)
      }),
    deleted: () => gated.filter((hook) => isGone(hook) && !ended.has(instances.get(hook))),
    async incomplete(client) {
      update()
      const created = gated.filter((hook) => instances.has(hook) || expected.includes(hook))
      const incomplete = created.filter((hook) => !completed.has(instances.get(hook)))
      return (await Promise.all(incomplete.map((hook) => whyIncomplete(client, hook)))).flat()
    },
  }
}

const NEVER_SEEN = 'it is gone, and was not seen to complete'

/** Returns a hook as it is now; undefined if it is gone; the error if the API server keeps failing. */
async function readWithRetries(
  client: ApiClient,
  {resource, namespace, name}: GatedObject,
): Promise<Observed | KkError | undefined> {
  const end = Date.now() + MAX_EVENT_DELAY_MS
  for (let pause = 100; ; pause *= 2) {
    try {
      return await readObject<Observed>(client, resource, {namespace, name})
    } catch (error) {
      const failure = asKkError(error)
      if (failure.code === 'KK_FORBIDDEN' || Date.now() + pause >= end) return failure
      await wait(pause)
    }
  }
}

/** Whether a Job or a pod has failed. */
function hasFailed(object: Observed): boolean {
  const {status} = object as Pod
  return status?.phase === 'Failed' || findCondition({...(status && {status})}, 'Failed')?.status === 'True'
}
