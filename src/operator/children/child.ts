import {asKkError} from '../../base/errors.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import {whileHeld} from '../../kubernetes/lease/while-held.ts'
import {recordedMask} from '../../prepare/environment-mask.ts'
import {redactor} from '../../redact/redact.ts'
import {releaseId} from '../../release.ts'
import {newAgreement} from '../../run/execute/agreement.ts'
import {execute} from '../../run/execute/execute.ts'
import {type Hold, systemClock, type Tools} from '../../run/execute/execution.ts'
import {giveBack, newHold} from '../../run/execute/lease.ts'
import {interrupted} from '../../run/interruption.ts'
import type {Controls} from '../../run/task.ts'
import {newWriter} from '../../run/writer.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {MANAGER} from '../keeper.ts'
import {type PlannedTask, RELEASES, type ReleaseObject, type TaskReport} from '../kinds/release-kind.ts'
import type {OperatorOptions} from '../operator.ts'
import {openQueue, type QuietFor} from '../queue.ts'
import {type HandedTask, readTask} from './handed-task.ts'
import {joinMembers} from './members.ts'
import {ownerOf, serves} from './shards.ts'

interface ChildOptions extends Omit<OperatorOptions, 'ports' | 'shards' | 'connect' | 'onGate'> {
  readonly ports: Pick<OperatorOptions['ports'], 'cluster' | 'helm'>
  /** Patterns of the shards whose tasks it does. */
  readonly shards: readonly string[]
}

/** What another process has claimed is looked at again after so many milliseconds. */
const LOOK_AGAIN = 10_000
/** Beside the time of an action: so long nothing may be heard of it; in milliseconds. */
const MARGIN = 1_800_000
/** The field manager of what children write. */
const CHILD = `${MANAGER}-child`

/** Does what parents order for its shards, until it is stopped: helms that are at work end first. Throws `KK_LEASE_LOST`. */
export async function runChild({
  ports,
  holder,
  shards,
  stop,
  state,
  onPass,
  say,
}: ChildOptions): Promise<void> {
  const members = await joinMembers(ports.cluster, holder, shards)
  const {lease} = members
  const cluster = whileHeld(ports.cluster, lease)
  const closing = new AbortController()
  const rows = cluster.objects.follow(RELEASES, KK_NAMESPACE, closing.signal)
  const rowOf = (name: string) => rows.get(name) as unknown as ReleaseObject | undefined
  const works = new Map<string, {readonly run: string; end(): void}>()
  const queue = openQueue({work, onError: (name, error) => say(`${name}: ${asKkError(error).message}`)})

  rows.subscribe((changed) => {
    for (const {metadata} of changed ? [changed] : rows.all()) {
      const {name} = metadata
      const planned = rowOf(name)?.spec.planned
      const work = works.get(name)
      if (work && work.run !== planned?.run) work.end()
      if (planned) queue.add(name)
    }
  })

  async function work(name: string, quietFor: QuietFor): Promise<number | undefined> {
    const row = rowOf(name)
    const planned = row?.spec.planned
    if (!planned || !serves(shards, planned.shard) || isAnswered(row, planned)) return undefined
    const live = await members.live()
    const claimed = row.status?.work?.run === planned.run ? row.status.work.by : undefined
    const doer = claimed !== undefined && live.includes(claimed) ? claimed : ownerOf(name, live)
    if (doer !== holder) return LOOK_AGAIN
    const began = performance.now()
    const doing = newDoing()
    works.set(name, {run: planned.run, end: doing.end})
    try {
      const isDone = await perform(row, planned, {ports: {...ports, cluster}, holder, doing, quietFor})
      onPass(isDone ? 'success' : 'error', (performance.now() - began) / 1000)
    } finally {
      works.delete(name)
    }
    return undefined
  }

  state.isLeader = true
  state.problem = () => rows.problem()?.message
  state.depth = queue.depth
  state.overdue = queue.overdue
  say(`does what is ordered for ${shards.join(', ')}`)
  const ended = AbortSignal.any([stop, lease.lost])
  await new Promise<void>((resolve) => {
    if (ended.aborted) return resolve()
    ended.addEventListener('abort', () => resolve(), {once: true})
  })
  for (const each of works.values()) each.end()
  await queue.close()
  closing.abort()
  await lease.release()
  lease.lost.throwIfAborted()
}

function isAnswered({status}: ReleaseObject, {run}: PlannedTask): boolean {
  const {work} = status ?? {}
  return work?.run === run && (work.revision !== undefined || work.error !== undefined)
}

/** Work on one task, which can be ended: at once, unless helm is at work, then after that. */
function newDoing() {
  const abort = new AbortController()
  let isHelmAtWork = false
  let isEnding = false
  const look = () => isEnding && !isHelmAtWork && abort.abort(interrupted())
  return {
    signal: abort.signal,
    end(): void {
      isEnding = true
      look()
    },
    helm(atWork: boolean): void {
      isHelmAtWork = atWork
      look()
    },
  }
}

interface Surroundings {
  readonly ports: ChildOptions['ports']
  readonly holder: string
  readonly doing: ReturnType<typeof newDoing>
  readonly quietFor: QuietFor
}

/** Does a task, and tells of it in the status of its Release. Resolves with whether it is done as it should be. */
async function perform(
  {metadata: {name}, spec}: ReleaseObject,
  {run}: PlannedTask,
  {ports, holder, doing, quietFor}: Surroundings,
): Promise<boolean> {
  const {cluster} = ports
  const {objects} = cluster
  const release = releaseId(spec.release.namespace, spec.release.name)
  const directory = await temporaryDirectory('kk-task-')
  let report: TaskReport = {run, by: holder, reached: 'running'}
  const write = () => {
    const {apiVersion, kind} = RELEASES
    const object = {apiVersion, kind, metadata: {name, namespace: KK_NAMESPACE}, status: {work: report}}
    return objects.apply(RELEASES, object, {manager: CHILD, status: true}).then(() => undefined)
  }
  const writer = newWriter(write)
  const tell = (news: Partial<TaskReport>): void => {
    report = {...report, ...news}
    writer.request()
  }
  try {
    const handed = await directory.fill(() => readTask(release, {run, directory: directory.path, objects}))
    quietFor(handed.task.work.timeoutSeconds * 1000 + MARGIN)
    const tools = await toolsOf(handed, {ports, holder, name})
    tell({})
    const answer = await execute(handed.task, {tools, controls: controlsOf(handed, {doing, tell})}).then(
      ({revision}) => ({revision}),
      (error: unknown) => ({error: told(error)}),
    )
    report = {...report, ...answer}
    await writer.last()
    const trouble = writer.takeTrouble()
    // Whoever deleted the Release is told nothing.
    if (trouble !== undefined && (await objects.read(RELEASES, {namespace: KK_NAMESPACE, name})))
      throw trouble
    return 'revision' in answer
  } finally {
    await directory.remove()
  }
}

async function toolsOf(
  {environment, run, task}: HandedTask,
  {ports, holder, name}: Pick<Surroundings, 'ports' | 'holder'> & {readonly name: string},
): Promise<Tools> {
  const {cluster, helm} = ports
  const {action, work} = task
  const own = `${holder.slice(0, -1)}, run ${run})`
  const take = newHold({cluster, holder: own, actions: [action], waits: true})
  /** Whoever has taken an order back does not see it begun any more once the Lease was free. */
  const hold: Hold = async (request) => {
    const lease = await take(request)
    const row = await cluster.objects.read<ReleaseObject>(RELEASES, {namespace: KK_NAMESPACE, name})
    if (row?.spec.planned?.run === run) return lease
    await giveBack(lease)
    throw interrupted()
  }
  return {
    ...{cluster, helm, environment, run, holder: own, hold, waits: true, clock: systemClock},
    agreement: newAgreement([action]),
    // The parent keeps the journal of the run, and the cluster is the truth.
    journal: {note: async () => undefined},
    mask:
      'values' in work
        ? redactor({given: [work.values]})
        : await recordedMask(cluster, {environment, actions: [action]}),
  }
}

function controlsOf(
  {appliedAwaited}: HandedTask,
  {doing, tell}: {readonly doing: Surroundings['doing']; readonly tell: (news: Partial<TaskReport>) => void},
): Controls {
  return {
    signal: doing.signal,
    appliedAwaited,
    onProgress: (phase, message, blames = []) =>
      tell({
        phase,
        message: cut(message),
        blames: blames.slice(0, MOST_BLAMES).map(({log: _, ...cause}) => cause),
      }),
    onChanging() {
      doing.helm(true)
      tell({changing: true})
    },
    onApplied: () => tell({reached: 'applied'}),
    onHelmEnded() {
      tell({reached: 'gating'})
      doing.helm(false)
    },
    // No task of a deployment deletes objects on its own, or tests.
    onDeleted: () => undefined,
    onTested: () => undefined,
  }
}

const MOST_BLAMES = 5
const MOST_CHARACTERS = 1024

function told(error: unknown): NonNullable<TaskReport['error']> {
  const {code, message, hint} = asKkError(error)
  return {code, message: cut(message), ...(hint !== undefined && {hint: cut(hint)})}
}

function cut(text: string): string {
  return text.slice(0, MOST_CHARACTERS)
}
