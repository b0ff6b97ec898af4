import {asKkError} from '../base/errors.ts'
import {isEmpty} from '../base/values.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {isAutoDeleted} from '../kubernetes/gate/evaluate.ts'
import {hookDeletePolicies, hookEvents} from '../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {hookObjects, objectName, parseManifest} from '../kubernetes/manifest/manifest.ts'
import {missingObjects} from '../kubernetes/objects/missing-hooks.ts'
import type {StoredRelease} from '../kubernetes/records/release-record.ts'
import {mergedValues} from '../overrides/layers.ts'
import type {Decision} from '../plan/decision/decision.ts'
import {OBJECTS_MISSING} from '../plan/drift/drift-reason.ts'
import {lostHooks, reinstallReason} from '../plan/pending/recovery.ts'
import {isChange, type Plan} from '../plan/plan.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import type {Prepared} from './prepare.ts'

export interface StuckReleases {
  /** The stuck releases, each with the action to take instead and its reason. */
  readonly stuck: ReadonlyMap<ReleaseId, Decision>
  /** Releases whose objects this user may not read: their state is detected when the plan runs. */
  readonly unseen: readonly ReleaseId[]
}

/**
 * Returns the releases that cannot become healthy on their own: requirements of changed releases whose
 * objects are gone; and releases whose gate is awaited, if their objects are gone, their Jobs have failed,
 * their hooks were not seen to complete, or helm installed them without their values. Helm reads empty
 * standard input as no values; it gets that from a kk that is killed just after it started helm.
 */
export async function stuckReleases(
  planned: Plan,
  {releases}: Prepared,
  {cluster, passed}: {readonly cluster: Cluster; readonly passed: ReadonlySet<ReleaseId>},
): Promise<StuckReleases> {
  const changes = planned.actions.filter(isChange)
  const required = new Set(changes.flatMap(({requires}) => requires.map((edge) => edge.release)))
  const candidates = planned.actions.filter(
    ({kind, release}) =>
      (kind === 'await' && !passed.has(release)) ||
      (kind === 'check' && required.has(release) && releases.has(release)),
  )
  const checked = await Promise.all(
    candidates.map(async ({release, kind}) => {
      const isAwaited = kind === 'await'
      const {layers = []} = releases.get(release) ?? {}
      return {release, way: await resolution(cluster, {release, isAwaited, layers})}
    }),
  )
  return {
    stuck: new Map(
      checked.flatMap(({release, way: resolution}) =>
        typeof resolution === 'object' ? [[release, resolution] as const] : [],
      ),
    ),
    unseen: checked.filter(({way: resolution}) => resolution === UNSEEN).map(({release}) => release),
  }
}

const UNSEEN = Symbol('unseen')

interface Candidate {
  readonly release: ReleaseId
  readonly isAwaited: boolean
  readonly layers: Parameters<typeof mergedValues>[0]
}

/** Returns the action to take for a release that cannot become healthy on its own. */
async function resolution(
  cluster: Cluster,
  {release, isAwaited, layers}: Candidate,
): Promise<Decision | typeof UNSEEN | undefined> {
  const stored = await cluster.records.stored(release)
  if (isAwaited && isEmpty(stored?.values ?? {}) && !isEmpty(mergedValues(layers)))
    return upgrade('helm was started without its values, and now gets them')
  const objects = parseManifest(stored?.manifest ?? '')
  const namespace = releaseNamespace(release)
  const awaitedHooks = isAwaited && stored ? hooksToBeSeen(stored) : []
  try {
    const failed = isAwaited ? await cluster.health.failedJobs(namespace, [...objects, ...awaitedHooks]) : []
    const jobs = failed.map((name) => `Job/${name}`)
    const ofHooks = awaitedHooks.filter((hook) => jobs.includes(objectName(hook)))
    if (ofHooks.length > 0 && stored) return runAgain(stored, ofHooks, FAILED_AGAIN(jobs))
    if (jobs.length > 0) return upgrade(FAILED_AGAIN(jobs))
    const goneHooks = await missingObjects(cluster.live, namespace, awaitedHooks)
    if (goneHooks.length > 0 && stored) return runAgain(stored, goneHooks, HOOKS_GONE)
    // If the gate has passed, a Job that is gone was seen to complete.
    const expected = isAwaited ? objects : objects.filter((object) => !isAutoDeleted(object))
    return (await cluster.live.exist(namespace, expected)) ? undefined : upgrade(OBJECTS_MISSING)
  } catch (error) {
    if (asKkError(error).code === 'KK_FORBIDDEN') return UNSEEN
    throw error
  }
}

function upgrade(reason: string): Decision {
  return {kind: 'upgrade', reasons: [reason]}
}

/**
 * Returns the action that runs these hooks again: helm runs hooks that have only install events
 * during an install only.
 */
function runAgain(stored: StoredRelease, hooks: readonly KubernetesObject[], reason: string): Decision {
  const names = hooks.map(objectName)
  const lost = lostHooks({...stored, openHooks: stored.hooks}).filter((name) => names.includes(name))
  if (lost.length === 0) return upgrade(reason)
  return {kind: 'install', reasons: [reinstallReason(stored, lost)], recovers: stored.status}
}

const FAILED_AGAIN = (jobs: readonly string[]) => `failed, and is run again: ${jobs.join(', ')}`
const HOOKS_GONE = 'hooks of it are gone that were not seen to complete, and are run again'

/**
 * Returns the Jobs among the hooks of a revision that still exist after they complete. Helm 3 takes a
 * deletion for the completion of a hook, so its record alone does not prove that they completed.
 */
function hooksToBeSeen(stored: StoredRelease): readonly KubernetesObject[] {
  if (stored.applyMethod === 'ssa') return []
  const verb = stored.isInstall ? 'install' : 'upgrade'
  return hookObjects(stored).filter(
    (hook) =>
      hook.kind === 'Job' &&
      !isAutoDeleted(hook) &&
      !hookDeletePolicies(hook).includes('hook-succeeded') &&
      hookEvents(hook).some((event) => event.endsWith(`-${verb}`)),
  )
}

export function unseenNotes(unseen: readonly ReleaseId[]): readonly string[] {
  if (unseen.length === 0) return []
  return [
    `you may not read all objects of ${unseen.map(releaseName).join(', ')}: missing ones are detected when this plan runs`,
  ]
}
