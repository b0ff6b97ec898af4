import {asKkError} from '../../base/errors.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import {whileHeld} from '../../kubernetes/lease/while-held.ts'
import {recordedMask} from '../../prepare/environment-mask.ts'
import {redactor} from '../../redact/redact.ts'
import {releaseId} from '../../release.ts'
import {newAgreement} from '../../run/execute/agreement.ts'
import {execute} from '../../run/execute/execute.ts'
import {type Hold, systemClock, type Tools} from '../../run/execute/execution.ts'
import {newHold, releaseLease} from '../../run/execute/lease.ts'
import {interrupted} from '../../run/interruption.ts'
import type {Controls} from '../../run/task.ts'
import {newWriter} from '../../run/writer.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {MANAGER} from '../apply-cache.ts'
import {type PlannedTask, RELEASES, type ReleaseObject, type TaskReport} from '../crds/release.ts'
import type {OperatorOptions} from '../operator.ts'
import {type Heartbeat, openWorkQueue} from '../work-queue.ts'
import {chooseWorker, serves} from './shards.ts'
import {type DispatchedTask, readTask} from './task-secret.ts'
import {joinWorkerGroup} from './worker-group.ts'

interface WorkerOptions extends Omit<OperatorOptions, 'ports' | 'files' | 'shards' | 'connect' | 'onGate'> {
  readonly ports: Pick<OperatorOptions['ports'], 'cluster' | 'helm'>
  /** Patterns of the shards whose tasks it runs. */
  readonly shards: readonly string[]
}

/** A task of another worker is requeued, in case that worker stops. */
const REQUEUE_AFTER_MS = 10_000
/** The heartbeat deadline beyond the timeout of an action. */
const HEARTBEAT_MARGIN_MS = 1_800_000
/** The field manager of workers. */
const WORKER_MANAGER = `${MANAGER}-child`

/**
 * Runs as a worker (`--role child`): runs tasks of its shards that the parent dispatches, until it is
 * stopped; running helm processes end first. Throws `KK_LEASE_LOST`.
 */
export async function runWorker({
  ports,
  holder,
  shards,
  stop,
  state,
  onReconcile,
  say,
}: WorkerOptions): Promise<void> {
  const group = await joinWorkerGroup(ports.cluster, holder, shards)
  const {lease} = group
  const cluster = whileHeld(ports.cluster, lease)
  const closing = new AbortController()
  const rows = cluster.objects.follow(RELEASES, KK_NAMESPACE, closing.signal)
  const findRelease = (name: string) => rows.get(name) as unknown as ReleaseObject | undefined
  const tasks = new Map<string, {readonly run: string; end(): void}>()
  const queue = openWorkQueue({work, onError: (name, error) => say(`${name}: ${asKkError(error).message}`)})

  rows.subscribe((changed) => {
    for (const {metadata} of changed ? [changed] : rows.all()) {
      const {name} = metadata
      const planned = findRelease(name)?.spec.planned
      const work = tasks.get(name)
      if (work && work.run !== planned?.run) work.end()
      if (planned) queue.add(name)
    }
  })

  async function work(name: string, heartbeat: Heartbeat): Promise<number | undefined> {
    const row = findRelease(name)
    const planned = row?.spec.planned
    if (!planned || !serves(shards, planned.shard) || isFinished(row, planned)) return undefined
    const live = await group.live()
    const claimed = row.status?.work?.run === planned.run ? row.status.work.by : undefined
    const worker = claimed !== undefined && live.includes(claimed) ? claimed : chooseWorker(name, live)
    if (worker !== holder) return REQUEUE_AFTER_MS
    const began = performance.now()
    const cancellation = newTaskCancellation()
    tasks.set(name, {run: planned.run, end: cancellation.end})
    try {
      const isDone = await performTask(row, planned, {
        ports: {...ports, cluster},
        holder,
        cancellation,
        heartbeat,
      })
      onReconcile(isDone ? 'success' : 'error', (performance.now() - began) / 1000)
    } finally {
      tasks.delete(name)
    }
    return undefined
  }

  state.isLeader = true
  state.problem = () => rows.problem()?.message
  state.depth = queue.depth
  state.stuck = queue.stuck
  say(`runs tasks for ${shards.join(', ')}`)
  const ended = AbortSignal.any([stop, lease.lost])
  await new Promise<void>((resolve) => {
    if (ended.aborted) return resolve()
    ended.addEventListener('abort', () => resolve(), {once: true})
  })
  for (const each of tasks.values()) each.end()
  await queue.close()
  closing.abort()
  await lease.release()
  lease.lost.throwIfAborted()
}

function isFinished({status}: ReleaseObject, {run}: PlannedTask): boolean {
  const {work} = status ?? {}
  return work?.run === run && (work.revision !== undefined || work.error !== undefined)
}

/** Cancels one task: immediately, or when helm has ended if it is running. */
function newTaskCancellation() {
  const abort = new AbortController()
  let isHelmRunning = false
  let isEnding = false
  const abortIfIdle = () => isEnding && !isHelmRunning && abort.abort(interrupted())
  return {
    signal: abort.signal,
    end(): void {
      isEnding = true
      abortIfIdle()
    },
    helm(isRunning: boolean): void {
      isHelmRunning = isRunning
      abortIfIdle()
    },
  }
}

interface TaskContext {
  readonly ports: WorkerOptions['ports']
  readonly holder: string
  readonly cancellation: ReturnType<typeof newTaskCancellation>
  readonly heartbeat: Heartbeat
}

/**
 * Runs a task, and reports its progress in the status of its Release. Resolves with whether it has succeeded.
 */
async function performTask(
  {metadata: {name}, spec}: ReleaseObject,
  {run}: PlannedTask,
  {ports, holder, cancellation, heartbeat}: TaskContext,
): Promise<boolean> {
  const {cluster} = ports
  const {objects} = cluster
  const release = releaseId(spec.release.namespace, spec.release.name)
  const directory = await temporaryDirectory('kk-task-')
  let report: TaskReport = {run, by: holder, reached: 'running'}
  const write = () => {
    const {apiVersion, kind} = RELEASES
    const object = {apiVersion, kind, metadata: {name, namespace: KK_NAMESPACE}, status: {work: report}}
    return objects.apply(RELEASES, object, {manager: WORKER_MANAGER, status: true}).then(() => undefined)
  }
  const writer = newWriter(write)
  const update = (change: Partial<TaskReport>): void => {
    report = {...report, ...change}
    writer.request()
  }
  try {
    const dispatched = await directory.fill(() =>
      readTask(release, {run, directory: directory.path, objects}),
    )
    heartbeat(dispatched.task.work.timeoutSeconds * 1000 + HEARTBEAT_MARGIN_MS)
    const tools = await newTools(dispatched, {ports, holder, name})
    update({})
    const answer = await execute(dispatched.task, {
      tools,
      controls: newControls(dispatched, {cancellation, update}),
    }).then(
      ({revision}) => ({revision}),
      (error: unknown) => ({error: toErrorReport(error)}),
    )
    report = {...report, ...answer}
    await writer.last()
    const failure = writer.takeTrouble()
    // A failed report is ignored if the Release was deleted.
    if (failure !== undefined && (await objects.read(RELEASES, {namespace: KK_NAMESPACE, name})))
      throw failure
    return 'revision' in answer
  } finally {
    await directory.remove()
  }
}

async function newTools(
  {environment, run, task}: DispatchedTask,
  {ports, holder, name}: Pick<TaskContext, 'ports' | 'holder'> & {readonly name: string},
): Promise<Tools> {
  const {cluster, helm} = ports
  const {action, work} = task
  const runHolder = `${holder.slice(0, -1)}, run ${run})`
  const acquire = newHold({cluster, holder: runHolder, actions: [action], waits: true})
  /**
   * A cancelled task is never started: once it has the Lease, it checks that the task is still dispatched.
   */
  const hold: Hold = async (request) => {
    const lease = await acquire(request)
    const row = await cluster.objects.read<ReleaseObject>(RELEASES, {namespace: KK_NAMESPACE, name})
    if (row?.spec.planned?.run === run) return lease
    await releaseLease(lease)
    throw interrupted()
  }
  return {
    ...{cluster, helm, environment, run, holder: runHolder, hold, waits: true, clock: systemClock},
    agreement: newAgreement([action]),
    // The parent keeps the journal of the run; the cluster is the source of truth.
    journal: {note: async () => undefined},
    mask:
      'values' in work
        ? redactor({given: [work.values]})
        : await recordedMask(cluster, {environment, actions: [action]}),
  }
}

function newControls(
  {appliedAwaited}: DispatchedTask,
  {
    cancellation,
    update,
  }: {
    readonly cancellation: TaskContext['cancellation']
    readonly update: (change: Partial<TaskReport>) => void
  },
): Controls {
  return {
    signal: cancellation.signal,
    appliedAwaited,
    onProgress: (phase, message, causes = []) =>
      update({
        phase,
        message: truncate(message),
        blames: causes.slice(0, MAX_CAUSES).map(({log: _, ...cause}) => cause),
      }),
    onChanging() {
      cancellation.helm(true)
      update({changing: true})
    },
    onApplied: () => update({reached: 'applied'}),
    onHelmEnded() {
      update({reached: 'gating'})
      cancellation.helm(false)
    },
    // Tasks of a deployment neither delete objects nor run tests.
    onDeleted: () => undefined,
    onTested: () => undefined,
  }
}

const MAX_CAUSES = 5
const MAX_MESSAGE_LENGTH = 1024

function toErrorReport(error: unknown): NonNullable<TaskReport['error']> {
  const {code, message, hint} = asKkError(error)
  return {code, message: truncate(message), ...(hint !== undefined && {hint: truncate(hint)})}
}

function truncate(text: string): string {
  return text.slice(0, MAX_MESSAGE_LENGTH)
}
