import {asKkError, type ExitCode} from '../../base/errors.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {LeaseView} from '../../kubernetes/lease/view.ts'
import {hasChanges, type Plan} from '../../plan/plan.ts'
import type {ColourLevel, Palette} from '../../report/colour.ts'
import type {ReportFiles} from '../../report/files/files.ts'
import type {Idle} from '../../report/files/nothing-done.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {LinesView} from '../../report/run/lines.ts'
import {ndjsonView} from '../../report/run/ndjson.ts'
import {type RunView, watchRun} from '../../report/run/run-view.ts'
import {type NextCommands, summaryText} from '../../report/run/summary.ts'
import {canDrawLive} from '../../report/run/terminal.ts'
import type {View} from '../../report/text/view.ts'
import type {RunEvent} from '../../run/events.ts'
import {type Interruption, newInterruption} from '../../run/interruption.ts'
import type {RunState} from '../../run/run-state.ts'
import {inTurn} from '../../verbs/change/in-turn.ts'
import {awaitLeftoverHelms} from '../../verbs/change/leftover-helms.ts'
import {expectNotOperated, type RunAccount, type RunChoices} from '../../verbs/change/start-run.ts'
import {type Console, type Output, tell} from '../console.ts'
import {interruptBySignals} from '../signals.ts'
import type {RunFlags} from './flags.ts'
import {reportNothingDone, sayReported} from './report-files.ts'

/**
 * The circumstances of a command that runs a plan. Its steps are: open the cluster, plan (`planInTurn`), show the plan and
 * end there in a dry run or with nothing to do (`showPlan`), confirm, run and report (`showRun`), print the result
 * (`printResult`).
 */
export interface RunContext {
  readonly flags: RunFlags
  readonly console: Console
  /** The files that `--report` asks for. */
  readonly reports: ReportFiles | undefined
  /** Another view of the run. */
  readonly view?: RunView | undefined
}

/**
 * Plans when the helms that dead runs of the environment have left at work on this machine have ended, and no other run
 * is at work on what it is about; says for whom it waits. A dry run, and who would not wait, plan at once.
 */
export async function planInTurn<T>(
  cluster: Cluster,
  {environment, flags}: {readonly environment: string; readonly flags: RunFlags},
  plan: () => Promise<T>,
): Promise<T> {
  const waits = !flags['dry-run'] && !flags['no-wait']
  const say = (line: string) => tell('stderr', `${line}\n`)
  const isConcerned = ({operation}: LeaseView) => operation?.environment === environment
  if (waits) await awaitLeftoverHelms(cluster.leases, {isConcerned, say})
  return inTurn(cluster, plan, {waits, say})
}

/** How a plan is shown where `planText` and `planDocument` do not say all. */
export interface PlanView {
  /** The plan for people. */
  readonly text?: (palette: Palette) => View
  /** The plan for programs. */
  readonly document?: object
  /** True when there is nothing to do; by default where the plan changes nothing. */
  readonly isIdle?: boolean
  /** True when people see it on standard error also where a dry run prints it as a document. */
  readonly isAlwaysSaid?: boolean
  /** True when a dry run with something to do goes on, to be refused as the run would be. */
  readonly isCheckedDry?: boolean
  /** Throws what the run would be refused for; called in a dry run with something to do, when people have seen the plan. */
  readonly refuse?: () => Promise<void>
  /** True when the document is the answer also where there is nothing to do; by default the result of such a run is. */
  readonly isAnswer?: boolean
  /** Keys of the result of a run that had nothing to do, beside those that each result has. */
  readonly nothing?: object
}

/**
 * Shows a plan where its reader looks: on standard output only when it is all that was asked for. Resolves with the exit
 * code where the command ends here: in a dry run, and where there is nothing to do. Throws what `refuse` throws.
 */
export async function showPlan(
  plan: Plan,
  context: RunContext,
  view: PlanView = {},
): Promise<ExitCode | undefined> {
  const {flags, console} = context
  const {output, 'dry-run': isDry} = flags
  const {isIdle = !hasChanges(plan), document = planDocument(plan)} = view
  const goesOn = (view.isCheckedDry ?? false) && !isIdle
  const refuse = isDry && !isIdle ? view.refuse : undefined
  sayPlan(plan, context, view)
  // A document is one: the plan, or why it would be refused.
  if (output !== 'ndjson') await refuse?.()
  const isLate = goesOn && output !== 'ndjson'
  if ((isDry && !isLate) || (isIdle && view.isAnswer)) console.document(output, document)
  if (output === 'ndjson') await refuse?.()
  if (isDry) return goesOn ? undefined : 0
  if (!isIdle) return undefined
  return view.isAnswer ? 0 : endIdle(plan, context, view.nothing)
}

/** Has a dry run refuse, as the run does, to change an environment that the operator drives; see `expectNotOperated`. */
export function refusingOperated(leases: Leases, plan: Pick<Plan, 'environment' | 'actions'>) {
  const refuse = () =>
    expectNotOperated(leases, plan).catch((error: unknown) => {
      // Who drives it is for the run to know: to look at a plan takes no right to see that.
      if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    })
  return {refuse}
}

function sayPlan(plan: Plan, {flags, console}: RunContext, {text, isAlwaysSaid}: PlanView): void {
  const isAlone = flags['dry-run'] && flags.output === 'text'
  const stream = isAlone ? 'stdout' : 'stderr'
  if (flags['dry-run'] && !isAlone && !isAlwaysSaid) return
  const palette = console.palette(stream)
  tell(stream, text?.(palette) ?? planText(plan, palette))
}

/** Ends a command that had nothing to do: its result has the same form as one that had. */
export async function endIdle(idle: Idle, context: RunContext, nothing: object = {}): Promise<ExitCode> {
  const {environment, cluster, actions} = idle
  const releases = actions.map(({release, kind}) => ({release, kind, state: 'unchanged'}))
  printResult({run: null, environment, context: cluster.context, releases, ...nothing}, context)
  return reportNothingDone(idle, context.reports, context.console)
}

/** Returns how a run is done, as flags say it; `account` tells the rest of what is kept of it. */
export function runChoices(flags: RunFlags, account: Omit<RunAccount, 'message'>): RunChoices {
  return {
    concurrency: flags.concurrency,
    failFast: flags['fail-fast'] ?? false,
    noWait: flags['no-wait'] ?? false,
    interruption: newInterruption(),
    account: {...account, message: flags.message},
  }
}

interface ShowOptions extends RunContext {
  /** The choices that the run was started with. */
  readonly choices: Pick<RunChoices, 'interruption'>
  readonly commands: NextCommands
}

export interface ShownRun {
  readonly state: RunState
  readonly exit: ExitCode
  readonly isInterrupted: boolean
}

/** Runs, shows what happens as it happens, and sums it up on standard error; signals interrupt the run. */
export async function showRun(
  events: AsyncIterable<RunEvent>,
  {choices, commands, ...context}: ShowOptions,
): Promise<ShownRun> {
  const {console, reports} = context
  const {state, interrupted} = await watchInterruptibly(events, context, choices.interruption)
  console.say(summaryText(state, {palette: console.palette('stderr'), commands}))
  const isReported = !reports || sayReported(reports, console)
  return {
    state,
    exit: interrupted ?? (isReported ? exitCode(state) : 1),
    isInterrupted: interrupted !== undefined,
  }
}

/** Shows a run in all its views until its events end; signals interrupt it. */
export async function watchInterruptibly(
  events: AsyncIterable<RunEvent>,
  {flags, console, reports, view}: RunContext,
  interruption: Interruption,
) {
  const people = await viewsFor(flags.output, console.level('stderr'))
  const views = [...people, ...[reports, view].filter((each) => each !== undefined)]
  using signals = interruptBySignals(interruption)
  const state = await watchRun(events, views)
  return {state, interrupted: signals.first()}
}

/** Prints the result of a run as one document, unless the stream of events has it. */
export function printResult(document: object, {flags, console}: Omit<RunContext, 'reports'>): void {
  if (flags.output !== 'ndjson') console.document(flags.output, document)
}

/** Returns the live board on a terminal, otherwise a line per event; both on standard error. */
async function viewsFor(output: Output, level: ColourLevel): Promise<readonly RunView[]> {
  const people = canDrawLive(process.stderr, process.env)
    ? new (await import('../../report/run/board.ts')).BoardView({stream: process.stderr, level})
    : new LinesView({stream: {write: (text) => tell('stderr', text)}, level})
  return output === 'ndjson' ? [ndjsonView({stream: process.stdout}), people] : [people]
}

/** Returns 3 where nothing failed but what kk refused for safety, with nothing of it changed, and 1 after any other failure. */
export function exitCode(state: RunState): ExitCode {
  const progresses = [...state.releases.values()].map(({progress}) => progress)
  if (progresses.every(({state}) => state === 'succeeded' || state === 'unchanged')) return 0
  const failures = progresses.flatMap((progress) => (progress.state === 'failed' ? progress.error : []))
  return failures.length > 0 && failures.every(({refused}) => refused) ? 3 : 1
}
