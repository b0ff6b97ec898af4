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
import {awaitLeftoverHelms} from '../../verbs/change/leftover-helms.ts'
import {expectNotOperated, type RunAccount, type RunChoices} from '../../verbs/change/start-run.ts'
import {waitForTurn} from '../../verbs/change/wait-for-turn.ts'
import {type Console, type Output, writeView} from '../console.ts'
import {interruptBySignals} from '../signals.ts'
import type {RunFlags} from './flags.ts'
import {printReportProblems, reportNothingDone} from './report-files.ts'

/**
 * The context of a command that runs a plan. Its steps: open the cluster, plan (`planInTurn`), show the plan,
 * and end in a dry run or if there is nothing to do (`showPlan`), confirm, run and report (`showRun`), print
 * the result (`printResult`).
 */
export interface RunContext {
  readonly flags: RunFlags
  readonly console: Console
  /** The files of `--report`. */
  readonly reports: ReportFiles | undefined
  /** An additional view of the run. */
  readonly view?: RunView | undefined
}

/**
 * Plans after the helm processes that dead runs of the environment left running on this machine have ended,
 * and after other runs on the same releases; prints what it waits for. A dry run and `--no-wait` plan
 * immediately.
 */
export async function planInTurn<T>(
  cluster: Cluster,
  {environment, flags}: {readonly environment: string; readonly flags: RunFlags},
  plan: () => Promise<T>,
): Promise<T> {
  const waits = !flags['dry-run'] && !flags['no-wait']
  const say = (line: string) => writeView('stderr', `${line}\n`)
  const isSameEnvironment = ({operation}: LeaseView) => operation?.environment === environment
  if (waits) await awaitLeftoverHelms(cluster.leases, {isConcerned: isSameEnvironment, say})
  return waitForTurn(cluster, plan, {waits, say})
}

/** How to show a plan, if `planText` and `planDocument` are not sufficient. */
export interface PlanView {
  /** The human-readable plan. */
  readonly text?: (palette: Palette) => View
  /** The plan as a document. */
  readonly document?: object
  /** True if there is nothing to do. Defaults to whether the plan changes nothing. */
  readonly isIdle?: boolean
  /** True to print it on standard error even if a dry run prints it as a document. */
  readonly isAlwaysSaid?: boolean
  /** True if a dry run with something to do continues, so that it is refused like the run. */
  readonly isCheckedDry?: boolean
  /**
   * Throws the error with which the run would be refused; called in a dry run with something to do, after the
   * plan is shown.
   */
  readonly refuse?: () => Promise<void>
  /** True if the document is the result even with nothing to do. Defaults to the result of an idle run. */
  readonly isAnswer?: boolean
  /** Additional keys of the result of a run that had nothing to do. */
  readonly nothing?: object
  /** What follows even if there was nothing to do: its keys of the result, and its exit code. */
  readonly afterwards?: (() => Promise<{readonly exit: ExitCode; readonly document: object}>) | undefined
}

/**
 * Shows a plan on standard error, or on standard output if the plan is the result. Resolves with the exit
 * code if the command ends here: in a dry run, and if there is nothing to do. Throws what `refuse` throws.
 */
export async function showPlan(
  plan: Plan,
  context: RunContext,
  view: PlanView = {},
): Promise<ExitCode | undefined> {
  const {flags, console} = context
  const {output, 'dry-run': isDry} = flags
  const {isIdle = !hasChanges(plan), document = planDocument(plan)} = view
  const continues = (view.isCheckedDry ?? false) && !isIdle
  const refuse = isDry && !isIdle ? view.refuse : undefined
  printPlan(plan, context, view)
  // JSON and YAML output is one document: the plan, or the error.
  if (output !== 'ndjson') await refuse?.()
  const isDeferred = continues && output !== 'ndjson'
  if ((isDry && !isDeferred) || (isIdle && view.isAnswer)) console.document(output, document)
  if (output === 'ndjson') await refuse?.()
  if (isDry) return continues ? undefined : 0
  if (!isIdle) return undefined
  if (view.isAnswer) return 0
  const after = await view.afterwards?.()
  const exit = await endIdle(plan, context, {...view.nothing, ...after?.document})
  return after?.exit || exit
}

/**
 * Returns the check with which a dry run, like the run, refuses an environment that the operator manages; see
 * `expectNotOperated`.
 */
export function notOperatedCheck(leases: Leases, plan: Pick<Plan, 'environment' | 'actions'>) {
  const refuse = () =>
    expectNotOperated(leases, plan).catch((error: unknown) => {
      // Without permission to read Leases the plan is still shown; the run checks it.
      if (asKkError(error).code !== 'KK_FORBIDDEN') throw error
    })
  return {refuse}
}

function printPlan(plan: Plan, {flags, console}: RunContext, {text, isAlwaysSaid}: PlanView): void {
  const isResult = flags['dry-run'] && flags.output === 'text'
  const stream = isResult ? 'stdout' : 'stderr'
  if (flags['dry-run'] && !isResult && !isAlwaysSaid) return
  const palette = console.palette(stream)
  writeView(stream, text?.(palette) ?? planText(plan, palette))
}

/** Ends a command that had nothing to do; the result has the same fields as that of a run. */
export async function endIdle(idle: Idle, context: RunContext, nothing: object = {}): Promise<ExitCode> {
  const {environment, cluster, actions} = idle
  const releases = actions.map(({release, kind}) => ({release, kind, state: 'unchanged'}))
  printResult({run: null, environment, context: cluster.context, releases, ...nothing}, context)
  return reportNothingDone(idle, context.reports, context.console)
}

/** Returns the options of a run from the flags; `account` has the other fields of its record. */
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
  /** The options that the run was started with. */
  readonly choices: Pick<RunChoices, 'interruption'>
  readonly commands: NextCommands
}

export interface ShownRun {
  readonly state: RunState
  readonly exit: ExitCode
  readonly isInterrupted: boolean
}

/** Runs, shows the progress and then a summary on standard error; signals interrupt the run. */
export async function showRun(
  events: AsyncIterable<RunEvent>,
  {choices, commands, ...context}: ShowOptions,
): Promise<ShownRun> {
  const {console, reports} = context
  const {state, interrupted} = await watchInterruptibly(events, context, choices.interruption)
  console.say(summaryText(state, {palette: console.palette('stderr'), commands}))
  const isReported = !reports || printReportProblems(reports, console)
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
  const outputViews = await viewsFor(flags.output, console.level('stderr'))
  const views = [...outputViews, ...[reports, view].filter((each) => each !== undefined)]
  using signals = interruptBySignals(interruption)
  const state = await watchRun(events, views)
  return {state, interrupted: signals.first()}
}

/** Prints the result of a run as one document, unless the stream of events has it. */
export function printResult(document: object, {flags, console}: Omit<RunContext, 'reports'>): void {
  if (flags.output !== 'ndjson') console.document(flags.output, document)
}

/**
 * Returns the live board on a terminal, otherwise a line per event, on standard error; with `ndjson`, also
 * the event stream.
 */
async function viewsFor(output: Output, level: ColourLevel): Promise<readonly RunView[]> {
  const progress = canDrawLive(process.stderr, process.env)
    ? new (await import('../../report/run/board.ts')).BoardView({stream: process.stderr, level})
    : new LinesView({stream: {write: (text) => writeView('stderr', text)}, level})
  return output === 'ndjson' ? [ndjsonView({stream: process.stdout}), progress] : [progress]
}

/**
 * Returns 0 after success, 3 if every failure is a refusal that changed nothing, and 1 after any other
 * failure.
 */
export function exitCode(state: RunState): ExitCode {
  const progresses = [...state.releases.values()].map(({progress}) => progress)
  if (progresses.every(({state}) => state === 'succeeded' || state === 'unchanged')) return 0
  const failures = progresses.flatMap((progress) => (progress.state === 'failed' ? progress.error : []))
  return failures.length > 0 && failures.every(({refused}) => refused) ? 3 : 1
}
