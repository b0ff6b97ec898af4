import {type ErrorCode, KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import type {Cause} from '../../kubernetes/gate/health.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import {isLive} from '../../kubernetes/lease/view.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {Collection} from '../../kubernetes/watch/collection.ts'
import {type ReleaseId, releaseId, releaseName, releaseNamespace} from '../../release.ts'
import {interrupted} from '../../run/interruption.ts'
import type {Controls} from '../../run/task.ts'
import {type ApplyCache, MANAGER} from '../apply-cache.ts'
import {RELEASES, type ReleaseObject, releaseObjectName, type TaskReport} from '../crds/release.ts'
import {selectShard} from './shards.ts'
import {type DispatchedTask, deleteTask, deleteTasks, taskSecret, writeTask} from './task-secret.ts'

/** How the parent has children do the actions of its plans. */
export interface Dispatcher {
  /**
   * Has a child do a task; resolves and throws as `execute` does where the child is. Throws `KK_RACED` when the Release goes
   * meanwhile, `KK_HELD` when no child is there. Afterwards no child is at work on it, nor will be.
   */
  dispatch(
    handed: Omit<DispatchedTask, 'appliedAwaited'>,
    given: DispatchOptions,
  ): Promise<{readonly revision: number}>
  /**
   * Takes back what an earlier parent has ordered, or was about to order, of an Environment with these Releases; resolves when
   * nobody is at work on it.
   */
  cancel(environment: string, releaseObjects: readonly ReleaseObject[]): Promise<void>
}

interface DispatchOptions {
  /** The digest of the plan. */
  readonly plan: string
  /** The section that the release is a part of, where that is several releases. */
  readonly section: string | undefined
  readonly controls: Controls
  /** Aborted when nothing more is to start. */
  readonly stop: AbortSignal
}

interface DispatcherOptions {
  readonly cluster: {readonly objects: Objects; readonly leases: Leases; readonly live: LiveObjects}
  readonly releaseObjects: Collection
  readonly releases: ApplyCache
  /** Those that have processes of their own. */
  readonly shards: readonly string[]
}

/** The field manager of orders, so that they stay whatever the parent writes of a Release beside them. */
const DISPATCH_MANAGER = `${MANAGER}-orders`
/** Beyond the time of an action: a child that was killed is followed by another. In milliseconds. */
const DISPATCH_MARGIN_MS = 600_000
const POLL_INTERVAL_MS = 500

export function newDispatcher({cluster, releaseObjects, releases, shards}: DispatcherOptions): Dispatcher {
  const {objects} = cluster
  /** The Environments of which no task of an earlier parent is left. */
  const swept = new Set<string>()
  const findRelease = (name: string) => releaseObjects.get(name) as unknown as ReleaseObject | undefined

  /** From then on no child begins with it: each looks for the order once it has the Lease. */
  async function cancelTask(name: string, release: ReleaseId): Promise<void> {
    await applyPlanned(name, {}, () => undefined)
    await deleteTask(release, objects)
  }

  /** Writes an order; throws what `gone` returns, if anything, where there is no such Release any more. */
  async function applyPlanned(
    name: string,
    spec: object,
    releaseLost: () => KkError | undefined,
  ): Promise<void> {
    await releases.applySpec(name, spec, DISPATCH_MANAGER).catch(async (error: unknown) => {
      const isThere = (await objects.read(RELEASES, {namespace: KK_NAMESPACE, name})) !== undefined
      const thrown = isThere ? error : releaseLost()
      if (thrown !== undefined) throw thrown
    })
  }

  return {
    async dispatch({environment, run, task}, {plan, section, controls, stop}) {
      const {release, chart} = task.action
      const name = releaseObjectName(environment, release)
      const shard = selectShard({release: {name: releaseName(release)}, section, chart}, shards)
      const namespace = releaseNamespace(release)
      controls.onProgress('lease', `waiting for the operator's process for ${shard}`)
      const listener = newResultListener(run, controls)
      const {result} = listener
      const observe = () => listener.observe(findRelease(name))
      const late = `no process of the operator for ${shard} has done it in time`
      await using closing = new AsyncDisposableStack()
      closing.defer(async () => {
        const {run: present = run} = findRelease(name)?.spec.planned ?? {}
        // Another parent has ordered by now.
        if (present !== run) return
        await cancelTask(name, release)
        if (!listener.isFinished()) await waitUntilFree(cluster.leases, release)
      })
      closing.defer(
        releaseObjects.subscribe((changed) => (!changed || changed.metadata.name === name) && observe()),
      )
      const timer = setTimeout(
        () => result.reject(new KkError('KK_HELD', late)),
        task.work.timeoutSeconds * 1000 + DISPATCH_MARGIN_MS,
      )
      closing.defer(() => clearTimeout(timer))
      const end = () => result.reject(interrupted())
      const endUnclaimed = () => listener.isClaimed() || end()
      controls.signal.addEventListener('abort', end)
      stop.addEventListener('abort', endUnclaimed)
      closing.defer(() => {
        controls.signal.removeEventListener('abort', end)
        stop.removeEventListener('abort', endUnclaimed)
      })
      if (!(await cluster.live.hasNamespace(namespace))) await cluster.live.makeNamespace(namespace)
      await writeTask({environment, run, task, appliedAwaited: controls.appliedAwaited}, objects)
      if (stop.aborted) throw interrupted()
      await applyPlanned(name, {planned: {run, plan, shard, task: taskSecret(release).name}}, releaseLost)
      observe()
      return await result.promise
    },
    async cancel(environment, all) {
      const ordered = all
        .filter(({spec}) => spec.planned)
        .map(({metadata, spec: {release}}) => ({
          name: metadata.name,
          release: releaseId(release.namespace, release.name),
        }))
      for (const {name, release} of ordered) await cancelTask(name, release)
      if (all.length > 0 && !swept.has(environment)) {
        for (const namespace of new Set(all.map(({spec}) => spec.release.namespace)))
          await deleteTasks(environment, namespace, objects)
        swept.add(environment)
      }
      for (const {release} of ordered) await waitUntilFree(cluster.leases, release)
    },
  }
}

/** Tells a run what a child says of its task, until it is answered. */
function newResultListener(run: string, controls: Controls) {
  const result = Promise.withResolvers<{readonly revision: number}>()
  // It may be given up before anybody waits for it.
  result.promise.catch(() => undefined)
  let isKnown = false
  let isOrdered = false
  let isClaimed = false
  let isFinished = false
  let told = ''

  function observe(row: ReleaseObject | undefined): void {
    if (isFinished) return
    const isMine = row?.spec.planned?.run === run
    // Deleted, or another parent's by now: what has become of it is seen by the next plan.
    if ((isOrdered && !isMine) || (isKnown && !row)) result.reject(releaseLost())
    isKnown ||= row !== undefined
    isOrdered ||= isMine
    const work = row?.status?.work
    if (!isMine || work?.run !== run) return
    isClaimed = true
    forward(work)
    isFinished = work.revision !== undefined || work.error !== undefined
  }

  function forward({reached, changing, phase, message = '', blames = [], revision, error}: TaskReport): void {
    if (changing) controls.onChanging()
    if (reached === 'applied') controls.onApplied()
    if (reached === 'gating') controls.onHelmEnded()
    const text = JSON.stringify([phase, message, blames])
    if (phase && text !== told) controls.onProgress(phase, message, blames.map(restoreCause))
    told = text
    if (revision !== undefined) result.resolve({revision})
    if (error) result.reject(new KkError(error.code as ErrorCode, error.message, hintOption(error.hint)))
  }
  return {result, observe, isClaimed: () => isClaimed, isFinished: () => isFinished}
}

/** Returns a cause as it was before it was written: without keys that have no value. */
function restoreCause({object, message, ...rest}: NonNullable<TaskReport['blames']>[number]): Cause {
  const known = Object.entries(rest).filter(([, text]) => text !== undefined)
  return {object, message, ...Object.fromEntries(known)}
}

function hintOption(hint: string | undefined): {readonly hint?: string} {
  return hint === undefined ? {} : {hint}
}

function releaseLost(): KkError {
  return new KkError('KK_RACED', "its Release was deleted, or is another process's by now")
}

/** Resolves when nobody holds a release any more, or whoever does has ended, or been silent for too long. */
async function waitUntilFree(leases: Leases, release: ReleaseId): Promise<void> {
  const isFree = async () => {
    const view = await leases.read(release)
    return !view || !isLive(view, leases.now())
  }
  await pollUntil(isFree, {interval: POLL_INTERVAL_MS})
}
