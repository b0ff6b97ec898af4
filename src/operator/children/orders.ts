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
import {type Keeper, MANAGER} from '../keeper.ts'
import {RELEASES, type ReleaseObject, rowName, type TaskReport} from '../kinds/release-kind.ts'
import {deleteTask, deleteTasks, type HandedTask, taskSecret, writeTask} from './handed-task.ts'
import {shardOf} from './shards.ts'

/** How the parent has children do the actions of its plans. */
export interface Orders {
  /**
   * Has a child do a task; resolves and throws as `execute` does where the child is. Throws `KK_RACED` when the Release goes
   * meanwhile, `KK_HELD` when no child is there. Afterwards no child is at work on it, nor will be.
   */
  give(handed: Omit<HandedTask, 'appliedAwaited'>, given: Given): Promise<{readonly revision: number}>
  /**
   * Takes back what an earlier parent has ordered, or was about to order, of an Environment with these Releases; resolves when
   * nobody is at work on it.
   */
  recall(environment: string, rows: readonly ReleaseObject[]): Promise<void>
}

interface Given {
  /** The digest of the plan. */
  readonly plan: string
  /** The section that the release is a part of, where that is several releases. */
  readonly section: string | undefined
  readonly controls: Controls
  /** Aborted when nothing more is to start. */
  readonly stop: AbortSignal
}

interface OrdersOptions {
  readonly cluster: {readonly objects: Objects; readonly leases: Leases; readonly live: LiveObjects}
  readonly rows: Collection
  readonly releases: Keeper
  /** Those that have processes of their own. */
  readonly shards: readonly string[]
}

/** The field manager of orders, so that they stay whatever the parent writes of a Release beside them. */
const ORDERS = `${MANAGER}-orders`
/** Beyond the time of an action: a child that was killed is followed by another. In milliseconds. */
const MARGIN = 600_000
const LOOK_AGAIN = 500

export function newOrders({cluster, rows, releases, shards}: OrdersOptions): Orders {
  const {objects} = cluster
  /** The Environments of which no task of an earlier parent is left. */
  const swept = new Set<string>()
  const rowOf = (name: string) => rows.get(name) as unknown as ReleaseObject | undefined

  /** From then on no child begins with it: each looks for the order once it has the Lease. */
  async function takeBack(name: string, release: ReleaseId): Promise<void> {
    await put(name, {}, () => undefined)
    await deleteTask(release, objects)
  }

  /** Writes an order; throws what `gone` returns, if anything, where there is no such Release any more. */
  async function put(name: string, spec: object, gone: () => KkError | undefined): Promise<void> {
    await releases.put(name, spec, ORDERS).catch(async (error: unknown) => {
      const isThere = (await objects.read(RELEASES, {namespace: KK_NAMESPACE, name})) !== undefined
      const thrown = isThere ? error : gone()
      if (thrown !== undefined) throw thrown
    })
  }

  return {
    async give({environment, run, task}, {plan, section, controls, stop}) {
      const {release, chart} = task.action
      const name = rowName(environment, release)
      const shard = shardOf({release: {name: releaseName(release)}, section, chart}, shards)
      const namespace = releaseNamespace(release)
      controls.onProgress('lease', `waiting for the operator's process for ${shard}`)
      const hearing = newHearing(run, controls)
      const {answer} = hearing
      const hear = () => hearing.hear(rowOf(name))
      const late = `no process of the operator for ${shard} has done it in time`
      await using closing = new AsyncDisposableStack()
      closing.defer(async () => {
        const {run: present = run} = rowOf(name)?.spec.planned ?? {}
        // Another parent has ordered by now.
        if (present !== run) return
        await takeBack(name, release)
        if (!hearing.isAnswered()) await freed(cluster.leases, release)
      })
      closing.defer(rows.subscribe((changed) => (!changed || changed.metadata.name === name) && hear()))
      const timer = setTimeout(
        () => answer.reject(new KkError('KK_HELD', late)),
        task.work.timeoutSeconds * 1000 + MARGIN,
      )
      closing.defer(() => clearTimeout(timer))
      const end = () => answer.reject(interrupted())
      const endUnclaimed = () => hearing.isClaimed() || end()
      controls.signal.addEventListener('abort', end)
      stop.addEventListener('abort', endUnclaimed)
      closing.defer(() => {
        controls.signal.removeEventListener('abort', end)
        stop.removeEventListener('abort', endUnclaimed)
      })
      if (!(await cluster.live.hasNamespace(namespace))) await cluster.live.makeNamespace(namespace)
      await writeTask({environment, run, task, appliedAwaited: controls.appliedAwaited}, objects)
      if (stop.aborted) throw interrupted()
      await put(name, {planned: {run, plan, shard, task: taskSecret(release).name}}, gone)
      hear()
      return await answer.promise
    },
    async recall(environment, all) {
      const ordered = all
        .filter(({spec}) => spec.planned)
        .map(({metadata, spec: {release}}) => ({
          name: metadata.name,
          release: releaseId(release.namespace, release.name),
        }))
      for (const {name, release} of ordered) await takeBack(name, release)
      if (all.length > 0 && !swept.has(environment)) {
        for (const namespace of new Set(all.map(({spec}) => spec.release.namespace)))
          await deleteTasks(environment, namespace, objects)
        swept.add(environment)
      }
      for (const {release} of ordered) await freed(cluster.leases, release)
    },
  }
}

/** Tells a run what a child says of its task, until it is answered. */
function newHearing(run: string, controls: Controls) {
  const answer = Promise.withResolvers<{readonly revision: number}>()
  // It may be given up before anybody waits for it.
  answer.promise.catch(() => undefined)
  let isKnown = false
  let isOrdered = false
  let isClaimed = false
  let isAnswered = false
  let told = ''

  function hear(row: ReleaseObject | undefined): void {
    if (isAnswered) return
    const isMine = row?.spec.planned?.run === run
    // Deleted, or another parent's by now: what has become of it is seen by the next plan.
    if ((isOrdered && !isMine) || (isKnown && !row)) answer.reject(gone())
    isKnown ||= row !== undefined
    isOrdered ||= isMine
    const work = row?.status?.work
    if (!isMine || work?.run !== run) return
    isClaimed = true
    relay(work)
    isAnswered = work.revision !== undefined || work.error !== undefined
  }

  function relay({reached, changing, phase, message = '', blames = [], revision, error}: TaskReport): void {
    if (changing) controls.onChanging()
    if (reached === 'applied') controls.onApplied()
    if (reached === 'gating') controls.onHelmEnded()
    const text = JSON.stringify([phase, message, blames])
    if (phase && text !== told) controls.onProgress(phase, message, blames.map(causeOf))
    told = text
    if (revision !== undefined) answer.resolve({revision})
    if (error) answer.reject(new KkError(error.code as ErrorCode, error.message, hinted(error.hint)))
  }
  return {answer, hear, isClaimed: () => isClaimed, isAnswered: () => isAnswered}
}

/** Returns a cause as it was before it was written: without keys that have no value. */
function causeOf({object, message, ...rest}: NonNullable<TaskReport['blames']>[number]): Cause {
  const known = Object.entries(rest).filter(([, text]) => text !== undefined)
  return {object, message, ...Object.fromEntries(known)}
}

function hinted(hint: string | undefined): {readonly hint?: string} {
  return hint === undefined ? {} : {hint}
}

function gone(): KkError {
  return new KkError('KK_RACED', "its Release was deleted, or is another process's by now")
}

/** Resolves when nobody holds a release any more, or whoever does has ended, or been silent for too long. */
async function freed(leases: Leases, release: ReleaseId): Promise<void> {
  const isFree = async () => {
    const view = await leases.read(release)
    return !view || !isLive(view, leases.now())
  }
  await pollUntil(isFree, {interval: LOOK_AGAIN})
}
