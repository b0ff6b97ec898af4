import type {Cluster, KubernetesObject, StoredRelease} from '../../cluster/cluster.ts'
import {mayVanish} from '../../cluster/gate/evaluate.ts'
import {hookDeletePolicies, hookEvents} from '../../cluster/helm-view.ts'
import {hookObjects, parseManifest} from '../../cluster/manifest.ts'
import {asKkError} from '../../errors.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {OBJECTS_GONE} from '../../plan/drift/drift-reason.ts'
import {isChange, type Plan} from '../../plan/plan.ts'
import {isEmpty, type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Prepared} from './prepare.ts'

export interface StuckReleases {
  /** The stuck releases, each with the reason in words. */
  readonly stuck: ReadonlyMap<ReleaseId, string>
  /** Releases whose objects this user may not read: their state is found when the plan is run. */
  readonly unseen: readonly ReleaseId[]
}

/**
 * Returns the releases that would be awaited in vain: among those that changed releases require, the ones whose objects
 * are gone; among those whose gate is awaited, also the ones whose Jobs have failed, whose hooks were not seen to
 * complete, or which helm made without their values. Helm takes an empty standard input for no values, and that is what it gets from a kk that is killed just
 * after it has started helm.
 */
export async function stuckReleases(
  planned: Plan,
  {releases}: Prepared,
  {cluster, passed}: {readonly cluster: Cluster; readonly passed: ReadonlySet<ReleaseId>},
): Promise<StuckReleases> {
  const changes = planned.actions.filter(isChange)
  const required = new Set(changes.flatMap(({requires}) => requires.map((edge) => edge.release)))
  const looked = planned.actions.filter(
    ({kind, release}) =>
      (kind === 'await' && !passed.has(release)) ||
      (kind === 'check' && required.has(release) && releases.has(release)),
  )
  const found = await Promise.all(
    looked.map(async ({release, kind}) => {
      const isAwaited = kind === 'await'
      const reason = await stuckReason(cluster, {
        release,
        isAwaited,
        layers: releases.get(release)?.layers ?? [],
      })
      return {release, reason}
    }),
  )
  return {
    stuck: new Map(
      found.flatMap(({release, reason}) => (typeof reason === 'string' ? [[release, reason] as const] : [])),
    ),
    unseen: found.filter(({reason}) => reason === UNSEEN).map(({release}) => release),
  }
}

const UNSEEN = Symbol('unseen')

interface Looked {
  readonly release: ReleaseId
  readonly isAwaited: boolean
  readonly layers: Parameters<typeof mergedValues>[0]
}

async function stuckReason(
  cluster: Cluster,
  {release, isAwaited, layers}: Looked,
): Promise<string | typeof UNSEEN | undefined> {
  const stored = await cluster.stored(release)
  if (isAwaited && isEmpty(stored?.values ?? {}) && !isEmpty(mergedValues(layers)))
    return 'helm was started without its values, and is now given them'
  const objects = parseManifest(stored?.manifest ?? '')
  const namespace = releaseNamespace(release)
  const awaitedHooks = isAwaited && stored ? hooksToBeSeen(stored) : []
  try {
    const failed = isAwaited ? await cluster.failedJobs(namespace, [...objects, ...awaitedHooks]) : []
    if (failed.length > 0)
      return `failed, and is run again: ${failed.map((name) => `Job/${name}`).join(', ')}`
    if (!(await cluster.exist(namespace, awaitedHooks))) return HOOKS_GONE
    // A Job that is gone was seen to complete where the gate has passed.
    const expected = isAwaited ? objects : objects.filter((object) => !mayVanish(object))
    return (await cluster.exist(namespace, expected)) ? undefined : OBJECTS_GONE
  } catch (error) {
    if (asKkError(error).code === 'KK_FORBIDDEN') return UNSEEN
    throw error
  }
}

const HOOKS_GONE = 'hooks of it are gone that were not seen to complete, and are run again'

/**
 * Returns the Jobs among the hooks of a revision that are there when they have completed. Helm 3 takes a deletion for the
 * end of a hook, so that its word alone does not say that they have.
 */
function hooksToBeSeen(stored: StoredRelease): readonly KubernetesObject[] {
  if (stored.applyMethod === 'ssa') return []
  const verb = stored.revision === 1 ? 'install' : 'upgrade'
  return hookObjects(stored).filter(
    (hook) =>
      hook.kind === 'Job' &&
      !mayVanish(hook) &&
      !hookDeletePolicies(hook).includes('hook-succeeded') &&
      hookEvents(hook).some((event) => event.endsWith(`-${verb}`)),
  )
}

export function unseenNotes(unseen: readonly ReleaseId[]): readonly string[] {
  if (unseen.length === 0) return []
  return [
    `you may not look at all objects of ${unseen.map(releaseName).join(', ')}: what is gone of them is found when this is run`,
  ]
}
