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
import {CONTAINER, ENVIRONMENT_LABEL, jobName, REPEAT, REQUESTER, RUN_LABEL, VERB} from './run-job.ts'
import {logIn, logName, type RunEnd, type RunLog} from './run-log.ts'

/** A run in the cluster, according to its Job. */
export interface ClusterRun {
  readonly id: string
  readonly environment: string
  readonly verb: string
  readonly who: string
  readonly startedAt: string
  readonly state: 'running' | 'succeeded' | 'failed'
  /** The command that repeats the run. */
  readonly retryCommand: string
}

type Job = Served<batch.Job>
type Pod = Served<core.Pod>

/** Returns the runs whose Jobs are in a namespace, newest first. */
export async function clusterRuns(objects: Objects, namespace: string): Promise<readonly ClusterRun[]> {
  const jobs = (await objects.list<Job>(JOBS, namespace)) ?? []
  return jobs
    .flatMap((job) => parseRun(job) ?? [])
    .sort((one, other) => (one.startedAt < other.startedAt ? 1 : -1))
}

/** Returns the run of an id by its Job. Throws `KK_NO_RUN`. */
export async function clusterRun(
  cluster: {readonly objects: Objects; readonly runs: RunRecords},
  {id, namespace}: RunPlace,
): Promise<ClusterRun> {
  const job = await cluster.objects.read<Job>(JOBS, {namespace, name: jobName(id)})
  const run = job && parseRun(job)
  if (run) return run
  const record = await cluster.runs.read(id)
  if (!record) {
    throw new KkError('KK_NO_RUN', `there is no Job of a run ${id} in ${namespace}`, {
      hint: 'list runs with a Job: kk run list; all runs: kk history --all',
    })
  }
  throw new KkError(
    'KK_NO_RUN',
    `run ${id} of ${record.environment} has no Job in ${namespace}, so there is nothing to follow: its record says ${record.outcome}`,
    {hint: `what became of each release: kk history ${id}`},
  )
}

/**
 * Returns the events that a run in the cluster has written so far; undefined for a run without such a log.
 */
export async function loggedEvents(
  {objects}: {readonly objects: Objects},
  {id, namespace}: RunPlace,
): Promise<readonly RunEvent[] | undefined> {
  const log = await objects.read(CONFIG_MAPS, {namespace, name: logName(id)})
  return log === undefined ? undefined : [...newEventMerger().events(logIn(log))]
}

function parseRun(job: Job): ClusterRun | undefined {
  const {labels = {}, annotations = {}, creationTimestamp = ''} = job.metadata
  const id = labels[RUN_LABEL]
  if (id === undefined) return undefined
  return {
    id,
    environment: labels[ENVIRONMENT_LABEL] ?? '',
    verb: annotations[VERB] ?? '',
    who: annotations[REQUESTER] ?? '',
    startedAt: creationTimestamp,
    state: hasEnded(job, 'Complete') ? 'succeeded' : hasEnded(job, 'Failed') ? 'failed' : 'running',
    retryCommand: annotations[REPEAT] ?? '',
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
  /** All known events from the beginning, as one run, even if it took several pods. */
  readonly events: AsyncIterable<RunEvent>
  /** The result of the run; undefined if following stopped before its end. */
  readonly end: () => RunEnd | undefined
}

/**
 * Follows a run in the cluster until it has ended, or `stop`. Throws `KK_NO_RUN` if its Job is deleted
 * before.
 */
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
    const nextChange = newChangeSignal([logs, jobs, pods], stop)
    const merger = newEventMerger()
    try {
      while (!stop.aborted) {
        const job = jobs.get(jobName(id)) as unknown as Job | undefined
        const isOver = job && (hasEnded(job, 'Complete') || hasEnded(job, 'Failed'))
        // A pod writes its last event before its Job ends, but the watch may not have delivered it.
        const log = isOver
          ? await objects.read(CONFIG_MAPS, {namespace, name: logName(id)})
          : logs.get(logName(id))
        const seen = logIn(log)
        yield* merger.events(seen)
        yield* merger.warnings(troubles(runPods(pods, id), [logs, jobs, pods], {id, namespace}))
        end = seen.end ?? (isOver ? silentEnd(job, runPods(pods, id)) : undefined)
        if (end) {
          yield* merger.rest(end)
          return
        }
        if (jobs.isListed() && !job) throw runGone(id, namespace)
        await nextChange()
      }
    } finally {
      closing.abort()
    }
  }
}

/**
 * Returns a function that resolves at the next change of these collections since its last call, or at `stop`.
 */
export function newChangeSignal(collections: readonly Collection[], stop: AbortSignal): () => Promise<void> {
  let changed = Promise.withResolvers<void>()
  const signalChange = () => changed.resolve()
  for (const each of collections) each.subscribe(signalChange)
  stop.addEventListener('abort', signalChange, {once: true})
  return async () => {
    await changed.promise
    changed = Promise.withResolvers()
  }
}

function runPods(pods: Collection, id: string): readonly Pod[] {
  return (pods.all() as unknown as readonly Pod[]).filter(({metadata}) => metadata.labels?.[RUN_LABEL] === id)
}

/** Returns messages on what currently blocks the run, and how to abandon it if that may last. */
function troubles(
  pods: readonly Pod[],
  collections: readonly Collection[],
  {id, namespace}: RunPlace,
): readonly string[] {
  const watchProblems = collections.flatMap((each) => each.problem()?.message ?? [])
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
  return [...watchProblems.slice(0, 1), ...waiting, ...(waiting.length > 0 ? [abandon] : [])]
}

const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])

/** Returns the result of a run whose last pod did not write it. */
function silentEnd(job: Job, pods: readonly Pod[]): RunEnd {
  if (hasEnded(job, 'Complete')) {
    const error = {
      code: 'KK_RUN_FAILED',
      message: 'the Job of the run has ended without output of kk: nothing is known to be done',
      hint: 'specify a kk image with --image; if pods are simulated, as in a sandbox, runs in the cluster do nothing',
      log: [],
    } as const
    return {exit: 1, error}
  }
  const {message = ''} = findCondition(job, 'Failed') ?? {}
  const terminationLog = pods.flatMap(({status}) =>
    (status?.containerStatuses ?? []).flatMap(({name, state}) =>
      name === CONTAINER ? (state?.terminated?.message?.trim().split('\n') ?? []) : [],
    ),
  )
  return {
    exit: 1,
    error: {
      code: 'KK_RUN_FAILED',
      message: `the Job of the run has failed: ${message}`,
      hint: 'completed releases stay: the same command continues with the rest',
      log: terminationLog,
    },
  }
}

function runGone(id: string, namespace: string): KkError {
  return new KkError('KK_NO_RUN', `the Job of run ${id} in ${namespace} was deleted`, {
    hint: 'the run finishes running operations and starts no others; see kk history',
  })
}

/** Merges the logs of several pods into the events of one run. */
export function newEventMerger() {
  let state: RunState = NO_RUN
  let last = 0
  const warned = new Set<string>()
  const emit = function* (events: readonly RunEvent[]): Generator<RunEvent> {
    for (const event of events) {
      state = nextState(state, event)
      yield event
    }
  }
  return {
    /** Returns the events of the log that were not emitted yet. */
    *events({events}: RunLog): Generator<RunEvent> {
      for (const [number, event] of events) {
        if (number <= last) continue
        last = number
        yield* emit(joined(state, event))
      }
    },
    *warnings(messages: readonly string[]): Generator<RunEvent> {
      for (const message of messages) {
        if (warned.has(message)) continue
        warned.add(message)
        yield* emit([{type: 'run-warned', at: Date.now(), message}])
      }
    },
    /** Returns the final events if the log lacks them: a pod that finds everything done starts no run. */
    *rest({exit}: RunEnd): Generator<RunEvent> {
      if (state.finished || exit !== 0) return
      const at = Math.max(state.lastAt, Date.now())
      const open = [...state.releases.values()].filter(({progress}) => OPEN.has(progress.state))
      yield* emit(
        open.map(({release}) => ({
          ...{type: 'release-succeeded', at, release, kind: 'unchanged'},
          ...{revision: 0, seconds: 0},
        })),
      )
      yield* emit([finished(state, {at, outcome: 'succeeded'})])
    },
  }
}

const OPEN: ReadonlySet<string> = new Set(['waiting', 'running'])

/** Returns the events of the whole run for an event of one pod. */
function joined(state: RunState, event: RunEvent): readonly RunEvent[] {
  const isBegun = state.startedAt > 0
  switch (event.type) {
    case 'run-started':
      if (!isBegun) return [event]
      return event.run === state.run
        ? []
        : [{type: 'run-warned', at: event.at, message: `another pod continues, as run ${event.run}`}]
    case 'run-interrupting':
      return [{type: 'run-warned', at: event.at, message: 'the pod is terminating: another one continues'}]
    case 'release-skipped':
      return event.reason === 'interrupted' ? [] : [event]
    case 'release-failed':
      return event.error.code === 'KK_INTERRUPTED' ? [] : [event]
    case 'release-succeeded': {
      const release = state.releases.get(event.release)
      if (!release || !NOT_CHANGING.has(event.kind)) return [event]
      // A pod that was killed could not write it.
      if (release.progress.state === 'running')
        return [{...event, kind: release.kind, seconds: (event.at - release.progress.since) / 1000}]
      return release.progress.state === 'succeeded' ? [] : [event]
    }
    case 'run-finished':
      return event.outcome === 'interrupted' || state.finished ? [] : [finished(state, event)]
    default:
      return [event]
  }
}

/** Actions that a pod finds done, or only waits for. */
const NOT_CHANGING: ReadonlySet<string> = new Set(['unchanged', 'check', 'await'])

type Finished = Extract<RunEvent, {type: 'run-finished'}>

/** Returns the final event of a run with the counts of its releases. */
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
