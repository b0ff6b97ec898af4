import type * as batch from 'kubernetes-types/batch/v1.js'
import type * as core from 'kubernetes-types/core/v1.js'
import {KkError} from '../../base/errors.ts'
import {CONFIG_MAPS, JOBS, PODS} from '../../kubernetes/api/resources.ts'
import type {Served} from '../../kubernetes/api/served.ts'
import {findCondition} from '../../kubernetes/gate/kinds/observed.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {RunRecords} from '../../kubernetes/records/runs.ts'
import type {Collection} from '../../kubernetes/watch/collection.ts'
import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, nextState, type RunState} from '../../run/run-state.ts'
import {AGAIN, CONTAINER, ENVIRONMENT_LABEL, jobName, RUN_LABEL, VERB, WHO} from './run-job.ts'
import {logIn, logName, type RunEnd, type RunLog} from './run-log.ts'

/** A run in the cluster, as its Job tells of it. */
export interface ClusterRun {
  readonly id: string
  readonly environment: string
  readonly verb: string
  readonly who: string
  readonly startedAt: string
  readonly state: 'running' | 'succeeded' | 'failed'
  /** The command that does the same again. */
  readonly again: string
}

type Job = Served<batch.Job>
type Pod = Served<core.Pod>

/** Returns the runs whose Jobs are in a namespace, newest first. */
export async function clusterRuns(objects: Objects, namespace: string): Promise<readonly ClusterRun[]> {
  const jobs = (await objects.list<Job>(JOBS, namespace)) ?? []
  return jobs
    .flatMap((job) => runOf(job) ?? [])
    .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1))
}

/** Returns the run of an id by its Job. Throws `KK_NO_RUN`. */
export async function clusterRun(
  cluster: {readonly objects: Objects; readonly runs: RunRecords},
  {id, namespace}: RunPlace,
): Promise<ClusterRun> {
  const job = await cluster.objects.read<Job>(JOBS, {namespace, name: jobName(id)})
  const found = job && runOf(job)
  if (found) return found
  const record = await cluster.runs.read(id)
  if (!record) {
    throw new KkError('KK_NO_RUN', `there is no Job of a run ${id} in ${namespace}`, {
      hint: 'see those that there are: kk run list; of all runs: kk history --all',
    })
  }
  throw new KkError(
    'KK_NO_RUN',
    `run ${id} of ${record.environment} has no Job in ${namespace}, so there is nothing to follow: its record says ${record.outcome}`,
    {hint: `what became of each release: kk history ${id}`},
  )
}

function runOf(job: Job): ClusterRun | undefined {
  const {labels = {}, annotations = {}, creationTimestamp = ''} = job.metadata
  const id = labels[RUN_LABEL]
  if (id === undefined) return undefined
  return {
    id,
    environment: labels[ENVIRONMENT_LABEL] ?? '',
    verb: annotations[VERB] ?? '',
    who: annotations[WHO] ?? '',
    startedAt: creationTimestamp,
    state: hasEnded(job, 'Complete') ? 'succeeded' : hasEnded(job, 'Failed') ? 'failed' : 'running',
    again: annotations[AGAIN] ?? '',
  }
}

function hasEnded(job: Job, type: 'Complete' | 'Failed'): boolean {
  return findCondition(job, type)?.status === 'True'
}

export interface RunPlace {
  readonly id: string
  /** The namespace of the Job. */
  readonly namespace: string
}

/** A run in the cluster while it is followed. */
export interface Following {
  /** From the beginning of what is known, as one run, however many pods it takes. */
  readonly events: AsyncIterable<RunEvent>
  /** How it has ended; undefined where it was followed no longer. */
  readonly end: () => RunEnd | undefined
}

/** Follows a run in the cluster until it has ended, or `stop`. Throws `KK_NO_RUN` where its Job is gone before. */
export function followClusterRun(
  {objects}: {readonly objects: Objects},
  {id, namespace}: RunPlace,
  stop: AbortSignal,
): Following {
  let end: RunEnd | undefined
  return {events: events(), end: () => end}

  async function* events(): AsyncGenerator<RunEvent> {
    const closing = new AbortController()
    const signal = AbortSignal.any([stop, closing.signal])
    const named = (name: string) => ({fieldSelector: `metadata.name=${name}`})
    const logs = objects.follow(CONFIG_MAPS, namespace, signal, named(logName(id)))
    const jobs = objects.follow(JOBS, namespace, signal, named(jobName(id)))
    const pods = objects.follow(PODS, namespace, signal)
    const bell = newBell([logs, jobs, pods], stop)
    const told = newTelling()
    try {
      while (!stop.aborted) {
        const job = jobs.get(jobName(id)) as unknown as Job | undefined
        const isOver = job && (hasEnded(job, 'Complete') || hasEnded(job, 'Failed'))
        // What a pod writes last is there before its Job has ended, but may not have been seen.
        const log = isOver
          ? await objects.read(CONFIG_MAPS, {namespace, name: logName(id)})
          : logs.get(logName(id))
        const seen = logIn(log)
        yield* told.events(seen)
        yield* told.warnings(troubles(podsOf(pods, id), [logs, jobs, pods], {id, namespace}))
        end = seen.end ?? (isOver ? silentEnd(job, podsOf(pods, id)) : undefined)
        if (end) {
          yield* told.rest(end)
          return
        }
        if (jobs.isListed() && !job) throw gone(id, namespace)
        await bell()
      }
    } finally {
      closing.abort()
    }
  }
}

/** Returns a function that resolves when something of these has changed since it did last, or at `stop`. */
export function newBell(collections: readonly Collection[], stop: AbortSignal): () => Promise<void> {
  let rung = Promise.withResolvers<void>()
  const ring = () => rung.resolve()
  for (const each of collections) each.subscribe(ring)
  stop.addEventListener('abort', ring, {once: true})
  return async () => {
    await rung.promise
    rung = Promise.withResolvers()
  }
}

function podsOf(pods: Collection, id: string): readonly Pod[] {
  return (pods.all() as unknown as readonly Pod[]).filter(({metadata}) => metadata.labels?.[RUN_LABEL] === id)
}

/** What keeps the run from going on now, in sentences, and how it is abandoned where that may last. */
function troubles(
  pods: readonly Pod[],
  collections: readonly Collection[],
  {id, namespace}: RunPlace,
): readonly string[] {
  const unseen = collections.flatMap((each) => each.problem()?.message ?? [])
  const waiting = pods.flatMap(({metadata, status}) => {
    const scheduled = findCondition({...(status && {status})}, 'PodScheduled')
    const reasons = [
      ...(status?.containerStatuses ?? []).map(({state}) => state?.waiting),
      ...(scheduled?.status === 'False' ? [scheduled] : []),
    ]
    return reasons.flatMap((reason) =>
      reason?.reason === undefined || STARTING.has(reason.reason)
        ? []
        : [`the pod ${metadata.name} waits: ${reason.reason}${reason.message ? `: ${reason.message}` : ''}`],
    )
  })
  const abandon = `Ctrl-C only stops following the run; to abandon it: kubectl delete job ${jobName(id)} --namespace ${namespace}`
  return [...unseen.slice(0, 1), ...waiting, ...(waiting.length > 0 ? [abandon] : [])]
}

const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** The end of a run whose last pod could not say it. */
function silentEnd(job: Job, pods: readonly Pod[]): RunEnd {
  if (hasEnded(job, 'Complete')) {
    const error = {
      code: 'KK_RUN_FAILED',
      message: 'the Job of the run has ended without a word of kk: nothing is known to be done',
      hint: 'give a kk image by --image; where pods are simulated, as in a sandbox, no run in the cluster does anything',
      log: [],
    } as const
    return {exit: 1, error}
  }
  const {message = ''} = findCondition(job, 'Failed') ?? {}
  const said = pods.flatMap(({status}) =>
    (status?.containerStatuses ?? []).flatMap(({name, state}) =>
      name === CONTAINER ? (state?.terminated?.message?.trim().split('\n') ?? []) : [],
    ),
  )
  return {
    exit: 1,
    error: {
      code: 'KK_RUN_FAILED',
      message: `the Job of the run has failed: ${message}`,
      hint: 'what was done is done: the same command goes on with what is left',
      log: said,
    },
  }
}

function gone(id: string, namespace: string): KkError {
  return new KkError('KK_NO_RUN', `somebody has deleted the Job of run ${id} in ${namespace}`, {
    hint: 'the run lets end what is at work, and starts nothing more; see kk history',
  })
}

/** Tells the logs of several pods as one run. */
export function newTelling() {
  let state: RunState = NO_RUN
  let last = 0
  const warned = new Set<string>()
  const tell = function* (events: readonly RunEvent[]): Generator<RunEvent> {
    for (const event of events) {
      state = nextState(state, event)
      yield event
    }
  }
  return {
    /** What the log says that was not told yet. */
    *events({events}: RunLog): Generator<RunEvent> {
      for (const [number, event] of events) {
        if (number <= last) continue
        last = number
        yield* tell(joined(state, event))
      }
    },
    *warnings(messages: readonly string[]): Generator<RunEvent> {
      for (const message of messages) {
        if (warned.has(message)) continue
        warned.add(message)
        yield* tell([{type: 'run-warned', at: Date.now(), message}])
      }
    },
    /** What follows from the end where the log does not say it: a pod that finds all done has no run to tell of. */
    *rest({exit}: RunEnd): Generator<RunEvent> {
      if (state.finished || exit !== 0) return
      const at = Math.max(state.lastAt, Date.now())
      const open = [...state.releases.values()].filter(({progress}) => OPEN.has(progress.state))
      yield* tell(
        open.map(({release}) => ({
          ...{type: 'release-succeeded', at, release, kind: 'unchanged'},
          ...{revision: 0, seconds: 0},
        })),
      )
      yield* tell([finished(state, {at, outcome: 'succeeded'})])
    },
  }
}

const OPEN: ReadonlySet<string> = new Set(['waiting', 'running'])

/** Returns the events by which an event of one pod is told in the run as a whole. */
function joined(state: RunState, event: RunEvent): readonly RunEvent[] {
  const isBegun = state.startedAt > 0
  switch (event.type) {
    case 'run-started':
      if (!isBegun) return [event]
      return event.run === state.run
        ? []
        : [{type: 'run-warned', at: event.at, message: `another pod goes on, as run ${event.run}`}]
    case 'run-interrupting':
      return [{type: 'run-warned', at: event.at, message: 'the pod was told to end: another one goes on'}]
    case 'release-skipped':
      return event.reason === 'interrupted' ? [] : [event]
    case 'release-failed':
      return event.error.code === 'KK_INTERRUPTED' ? [] : [event]
    case 'release-succeeded': {
      const known = state.releases.get(event.release)
      if (!known || !FOUND.has(event.kind)) return [event]
      // A pod that was killed could not tell it.
      if (known.progress.state === 'running')
        return [{...event, kind: known.kind, seconds: (event.at - known.progress.since) / 1000}]
      return known.progress.state === 'succeeded' ? [] : [event]
    }
    case 'run-finished':
      return event.outcome === 'interrupted' || state.finished ? [] : [finished(state, event)]
    default:
      return [event]
  }
}

/** What a pod finds done, and at most waits for. */
const FOUND: ReadonlySet<string> = new Set(['unchanged', 'check', 'await'])

type Finished = Extract<RunEvent, {type: 'run-finished'}>

/** Returns the end of a run with what became of its releases. */
export function finished(state: RunState, {at, outcome}: Pick<Finished, 'at' | 'outcome'>): Finished {
  const all = [...state.releases.values()]
  const count = (wanted: string) => all.filter(({progress}) => progress.state === wanted).length
  return {
    type: 'run-finished',
    at,
    outcome,
    seconds: Math.max(0, at - state.startedAt) / 1000,
    succeeded: count('succeeded'),
    failed: count('failed'),
    skipped: count('skipped'),
    unchanged: count('unchanged'),
  }
}
