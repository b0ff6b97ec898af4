import type {Cluster} from '../../cluster/cluster.ts'
import type {LeaseView} from '../../cluster/lease/view.ts'
import type {ExitCode} from '../../errors.ts'
import type {Plan} from '../../plan/plan.ts'
import {type ColourLevel, palette} from '../../report/colour.ts'
import {documentText} from '../../report/document.ts'
import type {ReportFiles} from '../../report/files/files.ts'
import type {Idle} from '../../report/files/nothing-done.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {linesView} from '../../report/run/lines.ts'
import {canDrawLive} from '../../report/run/live.ts'
import {ndjsonView} from '../../report/run/ndjson.ts'
import {type RunView, watchRun} from '../../report/run/run-view.ts'
import {type NextCommands, summaryText} from '../../report/run/summary.ts'
import type {RunEvent} from '../../run/events.ts'
import {type Interruption, newInterruption} from '../../run/interruption.ts'
import type {RunState} from '../../run/run-state.ts'
import {awaitOrphans} from '../../verbs/change/turn/await-orphans.ts'
import {inTurn} from '../../verbs/change/turn/in-turn.ts'
import {type Console, tell} from '../console.ts'
import {interruptible} from '../signals.ts'
import {sayReported} from './report-files.ts'

export interface ShowOptions {
  readonly output: 'text' | 'json' | 'yaml' | 'ndjson'
  readonly console: Console
  readonly commands: NextCommands
  /** What `--report` asks for. */
  readonly reports?: ReportFiles | undefined
}

export interface ShownRun {
  readonly state: RunState
  readonly exit: ExitCode
  readonly isInterrupted: boolean
}

/** Runs, shows what happens as it happens, and sums it up on standard error; signals interrupt the run. */
export async function showRun(
  start: (interruption: Interruption) => AsyncIterable<RunEvent>,
  {output, console, commands, reports}: ShowOptions,
): Promise<ShownRun> {
  const level = console.level('stderr')
  const interruption = newInterruption()
  const views = [...(await viewsFor(output, level)), ...(reports ? [reports] : [])]
  const {result: state, interrupted} = await interruptible(interruption, () =>
    watchRun(start(interruption), views),
  )
  tell('stderr', summaryText(state, {palette: palette(level), commands}))
  const isReported = !reports || sayReported(reports, console)
  return {
    state,
    exit: interrupted ?? (isReported ? exitCode(state) : 1),
    isInterrupted: interrupted !== undefined,
  }
}

/** What to say after the verb so that a command is about the same environment and cluster. */
export function placeOf(
  file: string,
  flags: {
    readonly sandbox?: boolean | undefined
    readonly 'sandbox-name'?: string | undefined
    readonly kubeconfig?: string | undefined
    readonly context?: string | undefined
  },
): string {
  const named = (['sandbox-name', 'kubeconfig', 'context'] as const)
    .filter((flag) => flags[flag] !== undefined)
    .map((flag) => `--${flag} ${flags[flag]}`)
  return [file, ...(flags.sandbox && named.length === 0 ? ['--sandbox'] : []), ...named].join(' ')
}

/** The live board on a terminal, otherwise a line per event; both on standard error. */
async function viewsFor(output: ShowOptions['output'], level: ColourLevel): Promise<readonly RunView[]> {
  const people = canDrawLive(process.stderr, process.env)
    ? (await import('../../report/run/board.ts')).boardView({stream: process.stderr, level})
    : linesView({stream: {write: (text) => tell('stderr', text)}, level})
  return output === 'ndjson' ? [ndjsonView({stream: process.stdout}), people] : [people]
}

/** Where nothing failed but what kk refused for safety, with nothing of it changed, the run was refused, and not wrong. */
export function exitCode(state: RunState): ExitCode {
  const progresses = [...state.releases.values()].map(({progress}) => progress)
  if (progresses.every(({state}) => state === 'succeeded' || state === 'unchanged')) return 0
  const failures = progresses.flatMap((progress) => (progress.state === 'failed' ? progress.error : []))
  return failures.length > 0 && failures.every(({refused}) => refused) ? 3 : 1
}

type Output = 'text' | 'json' | 'yaml' | 'ndjson'

/** The plan of a dry run, on standard output. */
export function printPlan(planned: Plan, output: Output, level: ColourLevel): void {
  if (output === 'text') tell('stdout', planText(planned, palette(level)))
  if (output === 'ndjson') process.stdout.write(`${JSON.stringify(planDocument(planned))}\n`)
  if (output === 'json' || output === 'yaml')
    process.stdout.write(documentText(planDocument(planned), output))
}

/** A run that had nothing to do has the same form as one that had. */
export function printNothingDone({environment, cluster, actions}: Idle, output: Output): void {
  if (output !== 'json' && output !== 'yaml') return
  const releases = actions.map(({release, kind}) => ({release, kind, state: 'unchanged'}))
  process.stdout.write(documentText({run: null, environment, context: cluster.context, releases}, output))
}

interface Turn {
  readonly environment: string
  readonly flags: {readonly 'dry-run': boolean; readonly 'no-wait': boolean}
}

/**
 * What is planned when the helms that dead runs of the environment have left at work on this machine have ended, and no
 * other run is at work on what it is about; says for whom it waits. A dry run, and who would not wait, plan at once.
 */
export async function planInTurn<T>(
  cluster: Cluster,
  {environment, flags}: Turn,
  plan: () => Promise<T>,
): Promise<T> {
  const waits = !flags['dry-run'] && !flags['no-wait']
  const say = (line: string) => tell('stderr', `${line}\n`)
  const isConcerned = ({operation}: LeaseView) => operation?.environment === environment
  if (waits) await awaitOrphans(cluster, {isConcerned, say})
  return inTurn(cluster, plan, {waits, say})
}

/** How a run is done, and shown: flags of every verb that runs helm. */
export interface RunFlags {
  readonly output: 'text' | 'json' | 'yaml' | 'ndjson'
  readonly concurrency?: number | undefined
  readonly 'fail-fast': boolean
  readonly 'no-wait': boolean
  readonly message?: string | undefined
  readonly helm?: string | undefined
  readonly sandbox?: boolean | undefined
  readonly 'sandbox-name'?: string | undefined
  /** `KIND=FILE` each. */
  readonly report?: readonly string[] | undefined
}

/** The same of verbs that change releases, and ask first. */
export interface ChangingRunFlags extends RunFlags {
  readonly yes: boolean
  readonly 'dry-run': boolean
  readonly environment?: string | undefined
}
