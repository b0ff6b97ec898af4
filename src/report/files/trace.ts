import type {ReleaseProgress, RunState} from '../../run/run-state.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'
import {resultText} from './result-text.ts'
import {lastAwaited, runSpan} from './run-span.ts'

/** The run is the one process of the trace; each release is a thread, which makes it a separate row. */
const PROCESS = 1

/** Names of the viewer's own palette. */
const COLOUR = {
  succeeded: 'good',
  failed: 'terrible',
  running: 'bad',
  waiting: 'grey',
  skipped: 'grey',
  unchanged: 'grey',
} as const satisfies Record<ReleaseProgress['progress']['state'], string>

/**
 * An event of Chrome's Trace Event Format (the document "Trace Event Format" of the Chromium project). `ph`:
 * X complete, i instant, s and f the ends of an arrow, M metadata. `ts` and `dur` are microseconds since the
 * run began.
 */
interface TraceEvent {
  readonly name: string
  readonly ph: 'X' | 'i' | 's' | 'f' | 'M'
  readonly pid: number
  readonly tid: number
  readonly cat?: string
  readonly ts?: number
  readonly dur?: number
  /** Scope of an instant: thread or global. */
  readonly s?: 't' | 'g'
  readonly id?: number
  /** The arrow ends at the slice that encloses it. */
  readonly bp?: 'e'
  readonly cname?: string
  readonly args?: Readonly<Record<string, unknown>>
}

interface Context {
  readonly state: RunState
  readonly labels: Labels
  readonly threads: ReadonlyMap<string, number>
  readonly microseconds: (at: number) => number
}

/**
 * A run as a Gantt chart for a tracing view (chrome://tracing, ui.perfetto.dev): a row per release, its
 * phases inside its bar, an arrow from the requirement that it waited for last.
 */
export function traceReport(state: RunState): string {
  const {environment, context, run} = state
  const {startedAt, outcome} = runSpan(state)
  const of: Context = {
    state,
    labels: releaseLabels(state.releases.keys()),
    threads: new Map([...state.releases.keys()].map((release, index) => [release, index + 1])),
    microseconds: (at) => (at - startedAt) * 1000,
  }
  const name = `${environment} on ${context}`
  const traceEvents: readonly TraceEvent[] = [
    {name: 'process_name', ph: 'M', pid: PROCESS, tid: 0, args: {name}},
    ...[...state.releases.values()].flatMap((release) => eventsOf(release, of)),
    ...interruption(state, of),
  ]
  const otherData = {run, environment, context, outcome, startedAt: new Date(startedAt).toISOString()}
  return `${JSON.stringify({displayTimeUnit: 'ms', otherData, traceEvents}, null, 1)}\n`
}

function eventsOf(progressed: ReleaseProgress, of: Context): readonly TraceEvent[] {
  const {release, progress, times} = progressed
  const thread = {pid: PROCESS, tid: of.threads.get(release)!}
  const naming: readonly TraceEvent[] = [
    {name: 'thread_name', ph: 'M', ...thread, args: {name: of.labels(release)}},
    {name: 'thread_sort_index', ph: 'M', ...thread, args: {sort_index: thread.tid}},
  ]
  const name = resultText(progressed, of.labels)
  if (times.startedAt === undefined) {
    if (times.endedAt === undefined) return naming
    return [
      ...naming,
      {name, ph: 'i', s: 't', cat: progress.state, ...thread, ts: of.microseconds(times.endedAt)},
    ]
  }
  const slice = (since: number, until: number | undefined) => ({
    ...thread,
    ts: of.microseconds(since),
    dur: of.microseconds(until ?? of.state.lastAt) - of.microseconds(since),
  })
  return [
    ...naming,
    {
      name: `${of.labels(release)}: ${name}`,
      ph: 'X',
      cat: progress.state,
      cname: COLOUR[progress.state],
      ...slice(times.startedAt, times.endedAt),
      args: argumentsOf(progressed, of),
    },
    ...times.phases.map(
      ({phase, since, until}) => ({name: phase, ph: 'X', cat: 'phase', ...slice(since, until)}) as const,
    ),
    ...arrow(progressed, of),
  ]
}

function argumentsOf({release, kind, requires, progress}: ReleaseProgress, {labels}: Context) {
  const error = progress.state === 'failed' ? progress.error : undefined
  return {
    release,
    kind,
    requires: requires.map(labels).join(', '),
    ...(error && {error: error.code, message: plainLine(error.message)}),
  }
}

/** From the end of what the release waited for last to its start. */
function arrow(progressed: ReleaseProgress, of: Context): readonly TraceEvent[] {
  const awaited = lastAwaited(progressed, of.state)
  if (awaited === undefined) return []
  const id = of.threads.get(progressed.release)!
  const common = {name: 'requires', cat: 'requires', pid: PROCESS, id}
  const from = of.state.releases.get(awaited)!.times
  // An arrow begins inside a bar: the end of the bar is outside of it.
  const begins = Math.max(
    of.microseconds(from.startedAt ?? from.endedAt!),
    of.microseconds(from.endedAt!) - 1,
  )
  return [
    {...common, ph: 's', tid: of.threads.get(awaited)!, ts: begins},
    {...common, ph: 'f', bp: 'e', tid: id, ts: of.microseconds(progressed.times.startedAt!)},
  ]
}

function interruption({interruptedAt}: RunState, {microseconds}: Context): readonly TraceEvent[] {
  if (interruptedAt === undefined) return []
  return [
    {name: 'interrupted', ph: 'i', s: 'g', cat: 'run', pid: PROCESS, tid: 0, ts: microseconds(interruptedAt)},
  ]
}
