import {asKkError, type ExitCode, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {type ChangeVerb, expectVerb, isChangeVerb} from '../../plan/changes/change-verb.ts'
import {isOverridden} from '../../plan/expectations/expect-store.ts'
import {type Plan, withNotes} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {forecastText} from '../../report/plan/forecast-text.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {runDocument} from '../../report/run/run-json.ts'
import type {RunView} from '../../report/run/run-view.ts'
import type {NextCommands} from '../../report/run/summary.ts'
import {NODE_NAME} from '../../sandbox/sandbox.ts'
import {readPastRuns} from '../../verbs/change/forecast-change.ts'
import {type ConfirmDataLoss, type HookData, hookDataLines} from '../../verbs/change/hook-data.ts'
import {type PlannedChange, planChange} from '../../verbs/change/planned-change.ts'
import type {RunAccount} from '../../verbs/change/start-run.ts'
import {observeCluster} from '../../verbs/plan.ts'
import {type Console, canAsk, confirm, requireConfirmation, writeView} from '../console.ts'
import {offerGuard} from '../guard.ts'
import {enforceLock} from '../open/charts.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {type OnCluster, openOnCluster} from '../open/open.ts'
import {openSecrets} from '../open/secrets.ts'
import {bindStore} from '../open/store.ts'
import {dataLossPrompt} from './confirm-removal.ts'
import {type ChangeFlags, expectForCluster} from './flags.ts'
import {expectRollbackFor, type UndoRuns, undoFailed} from './on-failure.ts'
import {repeatCommand, retryFlags, statusCommand, targetArguments} from './repeat-command.ts'
import {openReportFiles} from './report-files.ts'
import {notOperatedCheck, printResult, type RunContext, runChoices, showPlan, showRun} from './run.ts'
import {showNoticed} from './show-noticed.ts'
import {startCondition} from './start-condition.ts'
import {TESTS_FOLLOW, type TestsAfter, testAfter} from './tests.ts'
import {upgradeChecks} from './upgrade-checks.ts'

export interface Change {
  /** The name of the command, for messages. */
  readonly verb: string
  readonly flags: ChangeFlags
  /** Arguments: the environment file and releases. */
  readonly argv: readonly string[]
  readonly console: Console
  /**
   * Returns the scope of the change, from the arguments other than the file; undefined if there is nothing to
   * change.
   */
  readonly scope: (
    releases: readonly string[],
    prepared: Prepared,
  ) => PlanScope | undefined | Promise<PlanScope | undefined>
  /** Whether to start the sandbox if it is not running. */
  readonly startSandbox: boolean
  /** Throws if the plan, or its inputs, are not as expected. */
  readonly expect?: ((planned: PlannedChange) => void) | undefined
  /** Additional fields of the run record, such as the run that it resumes. */
  readonly account?: Pick<RunAccount, 'of' | 'id' | 'who'> | undefined
  /** Opens the inputs, if arguments and flags do not specify them. */
  readonly open?: (() => Promise<OnCluster>) | undefined
  /** An additional view of the run. */
  readonly view?: RunView | undefined
}

/**
 * Plans, validates, asks for confirmation, runs and reports: the common part of all verbs that change
 * releases.
 */
export async function change(options: Change): Promise<ExitCode> {
  const {verb, flags, argv, console, startSandbox} = options
  const {'dry-run': isDry = false} = flags
  expectRollbackFor(flags)
  expectForCluster(flags)
  const context = {flags, console, reports: await openReportFiles(flags.report), view: options.view}
  const onStart = startSandbox && !isDry ? console.say : undefined
  const operator = flags.via && (await import('./via-operator.ts'))
  const operated = operator && (await operator.openOperated(flags, argv))
  const opened = operated ?? (await (options.open?.() ?? openOnCluster(flags, argv, {onStart})))
  await using cluster = opened.cluster
  const scope = await options.scope(opened.releases, opened.prepared)
  if (!scope) return 0
  // Read concurrently with the secrets, whose errors take precedence; with a lock, charts are rendered in
  // between.
  const seen = flags.locked ? undefined : observeCluster(cluster, opened.prepared)
  seen?.catch(() => undefined)
  const supplied = await openSecrets(opened.prepared, flags, cluster)
  const prepared = supplied.planned
  const {environment} = prepared
  await enforceLock(prepared, flags, console)

  const waits = !isDry && !flags['no-wait']
  const planned = await planChange(supplied, cluster, {scope, seen, waits, say: console.say})
  const plan = flags.test ? withNotes(planned.plan, [TESTS_FOLLOW]) : planned.plan
  options.expect?.(planned)
  // A scope that installs permits every change.
  const permitted = scope.install ? 'deploy' : verb
  const checks = {verb: isChangeVerb(permitted) ? permitted : undefined, forceVersion: flags['force-version']}
  if (checks.verb) expectVerb(plan, checks.verb)
  // The operator may be applying other inputs, although the cluster is in the desired state.
  const afterwards = flags.test ? () => testAfter(prepared, {cluster, flags, console}) : undefined
  const view = {
    isCheckedDry: true,
    afterwards,
    ...(flags.via ? {isIdle: false} : notOperatedCheck(cluster.leases, plan)),
  }
  const exit = await showPlan(plan, context, view)
  if (exit !== undefined) {
    if (!isDry) await planned.keepSecrets()
    return exit
  }

  planned.expectStated()
  const ask = async () => {
    await confirmChange(`${verb} these releases to ${cluster.context}?`, flags, planned)
    const isUsed = [...prepared.releases.values()].some(({desired}) => isOverridden(desired))
    if (prepared.store && isUsed && !options.open)
      await bindStore(flags, environment, {...prepared.store, cluster: plan.cluster.uid})
  }
  const settle = () => ask().then(planned.keepSecrets)
  if (operated) {
    const {hub} = operated
    await expectReady(planned, {...options, cluster})
    return await operator.runViaOperator({scope, planned, cluster, hub, settle}, context)
  }
  const {line, setHint} = repeatCommand({file: environment.file, names: scope.names, flags})
  const retryCommand = `kk ${verb} ${line}${retryFlags(flags, scope)}`
  if (flags['in-cluster']) {
    const {runInCluster} = await import('./in-cluster.ts')
    const request = {verb, scope, retryCommand: [retryCommand, ...(setHint ? [setHint] : [])].join(', ')}
    return await runInCluster(
      {...request, plan: planned.withFinalDigests, environment, cluster, settle},
      context,
    )
  }
  return await runChange(planned, {
    options,
    context,
    scope,
    cluster,
    checks,
    ask,
    afterwards,
    nextCommands: {retryCommand, sameFlags: setHint},
  })
}

/** Shows what a change takes, and who notices it: in a dry run, it is part of the result. */
function showForecast(plan: Plan, {verb, flags, console}: Pick<Change, 'verb' | 'flags' | 'console'>): void {
  const stream = flags['dry-run'] && flags.output === 'text' ? 'stdout' : 'stderr'
  const text = forecastText(plan, console.palette(stream), startCondition(verb, flags.concurrency))
  if (text.length > 0) writeView(stream, ['', ...text])
}

/**
 * Throws the problems that the operator would find with the file, and shows what the change takes. Without
 * permission to check, the operator finds them.
 */
async function expectReady(
  planned: PlannedChange,
  {cluster, ...shown}: Pick<Change, 'verb' | 'flags' | 'console'> & {readonly cluster: Cluster},
): Promise<void> {
  const {flags} = shown
  try {
    const pastRuns = await readPastRuns(flags.history)
    await using ready = await planned.ready({cluster, helm: await openUsersHelm(flags, cluster), pastRuns})
    showForecast({...planned.plan, forecast: ready.forecast}, shown)
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code === 'KK_FORBIDDEN') return
    if (code !== 'KK_CONFLICT') throw error
    throw new KkError(code, message, {
      cause: error,
      hint: `omit these fields from the values, because the operator does not take fields from other managers; or take them yourself: kk operator pause ${planned.plan.environment}, then the same command without --via operator, with --force-conflicts`,
    })
  }
}

interface RunSources {
  readonly options: Change
  readonly context: RunContext
  readonly scope: PlanScope
  readonly cluster: Cluster
  readonly checks: Pick<Parameters<PlannedChange['ready']>[0], 'verb' | 'forceVersion'>
  readonly ask: () => Promise<void>
  /** The tests that follow a run that succeeded. */
  readonly afterwards: (() => Promise<TestsAfter>) | undefined
  /** The command that repeats the change. */
  readonly nextCommands: Omit<NextCommands, 'status'>
}

/**
 * Checks a change, asks for confirmation, runs it on this machine and reports; a dry run ends before the
 * confirmation.
 */
async function runChange(
  planned: PlannedChange,
  {
    options: {verb, flags, console, account, open},
    context,
    scope,
    cluster,
    checks,
    ask,
    afterwards,
    nextCommands,
  }: RunSources,
): Promise<ExitCode> {
  const {plan, prepared} = planned
  const {environment} = prepared
  const helm = await openUsersHelm(flags, cluster)
  const data: HookData[] = []
  const collect: ConfirmDataLoss = (each) => data.push(each) > 0
  const confirmDataLoss = flags['dry-run'] ? collect : dataLossPrompt(flags['confirm-data'])
  // The account of a run in the cluster has no right to start programs in pods.
  const isAsked = !open && !flags['dry-run'] && !flags['skip-upgrade-checks']
  const moreChecks = isAsked ? await upgradeChecks(cluster, console) : []
  const ports = {
    cluster,
    helm,
    forceConflicts: flags['force-conflicts'],
    confirmDataLoss,
    moreChecks,
    pastRuns: await readPastRuns(flags.history),
    ...checks,
  }
  await using ready = await planned.ready(ports)
  for (const note of ready.notes) console.say(`note: ${note}`)
  const foreseen = {...plan, forecast: ready.forecast}
  showForecast(foreseen, {verb, flags, console})
  if (flags['dry-run']) {
    for (const line of hookDataLines(data)) console.say(line)
    const notes = [...(flags.test ? [TESTS_FOLLOW] : []), ...ready.notes]
    printResult(planDocument(withNotes(foreseen, notes), [], data), context)
    return 0
  }
  await ask()
  const choices = {
    ...runChoices(flags, {verb, scope, ...account}),
    ...startCondition(verb, flags.concurrency),
  }
  const {prepull = verb === 'deploy' && flags['sandbox-name'] === NODE_NAME} = flags
  const commands = {...nextCommands, status: statusCommand(environment, flags)}
  const events = await ready.run({...choices, prepull})
  const shown = await showRun(events, {...context, choices, commands})
  const undone = await undoFailed(shown, {flags, console, environment, cluster})
  // Nor may that account read in pods.
  const noticed = open
    ? undefined
    : await showNoticed(shown, {cluster, prepared, forecast: ready.forecast, console})
  const tested = shown.exit === 0 ? await afterwards?.() : undefined
  printResult(
    {...runDocument(shown.state), ...(noticed && {noticed}), ...undoneDocument(undone), ...tested?.document},
    context,
  )
  const interrupted = [undone.rollback, undone.removal].find((each) => each?.isInterrupted)
  const exit = interrupted?.exit ?? tested?.exit ?? shown.exit
  if (verb === 'deploy' && exit === 0 && flags.output === 'text')
    await offerGuard(cluster, planned.withFinalDigests, {
      console,
      place: targetArguments(environment.file, flags),
    })
  return exit
}

/** Asks for confirmation. Without a terminal the change continues, unless it replaces passwords in use. */
async function confirmChange(
  question: string,
  {yes}: Pick<ChangeFlags, 'yes'>,
  {secretsToReplace}: PlannedChange,
): Promise<void> {
  if (yes) return
  const replaces = secretsToReplace.some(({reason}) => reason !== 'stated')
  if (replaces)
    return requireConfirmation(
      question,
      'passwords in use would be replaced: set them to their current values, or pass --yes',
    )
  if (canAsk()) await confirm(question)
}

function undoneDocument({rollback, removal}: UndoRuns) {
  return {
    ...(rollback && {rollback: runDocument(rollback.state)}),
    ...(removal && {removal: runDocument(removal.state)}),
  }
}

/** Maps arguments to release names, if they are other names. */
export type NamedReleases = (words: readonly string[], environment: Environment) => Promise<readonly string[]>

/**
 * Changes installed releases: the named ones, or all. Installs nothing, unless `more` allows it for the named
 * ones.
 */
export function changeInstalled(
  verb: Exclude<ChangeVerb, 'deploy'>,
  {named, ...options}: Pick<Change, 'flags' | 'argv' | 'console'> & {readonly named?: NamedReleases},
  more: Partial<Pick<PlanScope, 'correctDrift' | 'install'>> = {},
): Promise<ExitCode> {
  const scope = async (words: readonly string[], {environment}: Prepared) => ({
    ...{names: (await named?.(words, environment)) ?? words, install: false},
    ...more,
  })
  return change({verb, ...options, scope, startSandbox: false})
}

/** Returns the part of the scope that the drift flags specify. */
export function driftScope(flags: {
  readonly 'correct-drift'?: boolean
  readonly 'force-conflicts'?: boolean
}): Pick<PlanScope, 'correctDrift'> {
  return flags['correct-drift'] ? {correctDrift: {forceConflicts: flags['force-conflicts'] ?? false}} : {}
}
