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

/** Dispatches the tasks of the parent's runs to workers. */
export interface Dispatcher {
  /**
   * Dispatches a task to a worker; resolves and throws as `execute` does in the worker. Throws `KK_RACED` if
   * the Release is deleted in the meantime, and `KK_HELD` if no worker runs the task in time. Afterwards no
   * worker runs it, nor will.
   */
  dispatch(
    task: Omit<DispatchedTask, 'appliedAwaited'>,
    options: DispatchOptions,
  ): Promise<{readonly revision: number}>
  /**
   * Cancels the tasks that an earlier parent has dispatched, or was about to, for an Environment with these
   * Releases; resolves when no worker runs them.
   */
  cancel(environment: string, releaseObjects: readonly ReleaseObject[]): Promise<void>
}

interface DispatchOptions {
  /** The digest of the plan. */
  readonly plan: string
  /** The section of the release, if the section has several releases. */
  readonly section: string | undefined
  readonly controls: Controls
  /** Aborted when no further task should start. */
  readonly stop: AbortSignal
}

interface DispatcherOptions {
  readonly cluster: {readonly objects: Objects; readonly leases: Leases; readonly live: LiveObjects}
  readonly releaseObjects: Collection
  readonly releases: ApplyCache
  /** The shards with dedicated workers. */
  readonly shards: readonly string[]
}

/**
 * A separate field manager, so that `spec.planned` is kept when the parent applies other fields of a Release.
 */
const DISPATCH_MANAGER = `${MANAGER}-orders`
/** Wait beyond the timeout of an action, in which another worker can replace a killed one. */
const DISPATCH_MARGIN_MS = 600_000
const POLL_INTERVAL_MS = 500

export function newDispatcher({cluster, releaseObjects, releases, shards}: DispatcherOptions): Dispatcher {
  const {objects} = cluster
  /** The Environments whose tasks of earlier parents were deleted. */
  const swept = new Set<string>()
  const findRelease = (name: string) => releaseObjects.get(name) as unknown as ReleaseObject | undefined

  /**
   * Cancels a task: no worker starts it afterwards, because each checks `spec.planned` once it has the Lease.
   */
  async function cancelTask(name: string, release: ReleaseId): Promise<void> {
    await applyPlanned(name, {}, () => undefined)
    await deleteTask(release, objects)
  }

  /** Applies `spec.planned`; if the Release no longer exists, throws what `gone` returns, if anything. */
  async function applyPlanned(
    name: string,
    spec: object,
    releaseLost: () => KkError | undefined,
  ): Promise<void> {
    await releases.applySpec(name, spec, DISPATCH_MANAGER).catch(async (error: unknown) => {
      const exists = (await objects.read(RELEASES, {namespace: KK_NAMESPACE, name})) !== undefined
      const thrown = exists ? error : releaseLost()
      if (thrown !== undefined) throw thrown
    })
  }

  return {
    async dispatch({environment, run, task}, {plan, section, controls, stop}) {
      const {release, chart} = task.action
      const name = releaseObjectName(environment, release)
      const shard = selectShard({release: {name: releaseName(release)}, section, chart}, shards)
      const namespace = releaseNamespace(release)
      controls.onProgress('lease', `waiting for the worker of ${shard}`)
      const listener = newResultListener(run, controls)
      const {result} = listener
      const observe = () => listener.observe(findRelease(name))
      const late = `no worker of ${shard} has finished the task in time`
      await using closing = new AsyncDisposableStack()
      closing.defer(async () => {
        const {run: present = run} = findRelease(name)?.spec.planned ?? {}
        // Another parent has dispatched its own task by now.
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
      const dispatched = all
        .filter(({spec}) => spec.planned)
        .map(({metadata, spec: {release}}) => ({
          name: metadata.name,
          release: releaseId(release.namespace, release.name),
        }))
      for (const {name, release} of dispatched) await cancelTask(name, release)
      if (all.length > 0 && !swept.has(environment)) {
        for (const namespace of new Set(all.map(({spec}) => spec.release.namespace)))
          await deleteTasks(environment, namespace, objects)
        swept.add(environment)
      }
      for (const {release} of dispatched) await waitUntilFree(cluster.leases, release)
    },
  }
}

/** Forwards the progress that a worker reports for its task to the run, until the task has a result. */
function newResultListener(run: string, controls: Controls) {
  const result = Promise.withResolvers<{readonly revision: number}>()
  // It can be rejected before it is awaited.
  result.promise.catch(() => undefined)
  let hasRelease = false
  let isDispatched = false
  let isClaimed = false
  let isFinished = false
  let lastProgress = ''

  function observe(row: ReleaseObject | undefined): void {
    if (isFinished) return
    const isOwn = row?.spec.planned?.run === run
    // Deleted, or dispatched by another parent: the next plan observes the outcome.
    if ((isDispatched && !isOwn) || (hasRelease && !row)) result.reject(releaseLost())
    hasRelease ||= row !== undefined
    isDispatched ||= isOwn
    const work = row?.status?.work
    if (!isOwn || work?.run !== run) return
    isClaimed = true
    forward(work)
    isFinished = work.revision !== undefined || work.error !== undefined
  }

  function forward({reached, changing, phase, message = '', blames = [], revision, error}: TaskReport): void {
    if (changing) controls.onChanging()
    if (reached === 'applied') controls.onApplied()
    if (reached === 'gating') controls.onHelmEnded()
    const progress = JSON.stringify([phase, message, blames])
    if (phase && progress !== lastProgress) controls.onProgress(phase, message, blames.map(restoreCause))
    lastProgress = progress
    if (revision !== undefined) result.resolve({revision})
    if (error) result.reject(new KkError(error.code as ErrorCode, error.message, hintOption(error.hint)))
  }
  return {result, observe, isClaimed: () => isClaimed, isFinished: () => isFinished}
}

/** Restores a cause from a report: without undefined values. */
function restoreCause({object, message, ...rest}: NonNullable<TaskReport['blames']>[number]): Cause {
  const defined = Object.entries(rest).filter(([, value]) => value !== undefined)
  return {object, message, ...Object.fromEntries(defined)}
}

function hintOption(hint: string | undefined): {readonly hint?: string} {
  return hint === undefined ? {} : {hint}
}

function releaseLost(): KkError {
  return new KkError('KK_RACED', 'its Release was deleted, or another process has taken it over')
}

/** Resolves when the Lease of a release is free or has expired. */
async function waitUntilFree(leases: Leases, release: ReleaseId): Promise<void> {
  const isFree = async () => {
    const view = await leases.read(release)
    return !view || !isLive(view, leases.now())
  }
  await pollUntil(isFree, {interval: POLL_INTERVAL_MS})
}
