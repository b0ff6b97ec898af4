import {asKkError, type ExitCode, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {type ChangeVerb, expectVerb, isChangeVerb} from '../../plan/changes/change-verb.ts'
import {isOverridden} from '../../plan/expectations/expect-store.ts'
import {withNotes} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {runDocument} from '../../report/run/run-json.ts'
import type {RunView} from '../../report/run/run-view.ts'
import type {NextCommands} from '../../report/run/summary.ts'
import {NODE_NAME} from '../../sandbox/sandbox.ts'
import {type GiveUp, type HookData, hookDataLines} from '../../verbs/change/hook-data.ts'
import {type PlannedChange, planChange} from '../../verbs/change/planned-change.ts'
import type {RunAccount, RunChoices} from '../../verbs/change/start-run.ts'
import {seenOn} from '../../verbs/plan.ts'
import {type Console, canAsk, confirm, requireConfirmation} from '../console.ts'
import {offerGuard} from '../guard.ts'
import {heedLock} from '../open/charts.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {type OnCluster, openOnCluster} from '../open/open.ts'
import {openSecrets} from '../open/secrets.ts'
import {bindStore} from '../open/store.ts'
import {asksForData} from './confirm-removal.ts'
import {type ChangeFlags, expectForCluster} from './flags.ts'
import {expectRollbackFor, type Undone, undoFailed} from './on-failure.ts'
import {openReportFiles} from './report-files.ts'
import {printResult, type RunContext, refusingOperated, runChoices, showPlan, showRun} from './run.ts'
import {placeOf, sameAgain, sameWay, statusCommand} from './same-again.ts'

export interface Change {
  /** The command's name, for what it says. */
  readonly verb: string
  readonly flags: ChangeFlags
  /** Arguments: the environment file and releases. */
  readonly argv: readonly string[]
  readonly console: Console
  /** What is to be changed, by the words beside the file; undefined where that is nothing. */
  readonly scope: (
    releases: readonly string[],
    prepared: Prepared,
  ) => PlanScope | undefined | Promise<PlanScope | undefined>
  /** Start the sandbox when it does not run. */
  readonly startSandbox: boolean
  /** Throws when the plan, or what it was made of, is not what it should be. */
  readonly expect?: ((planned: PlannedChange) => void) | undefined
  /** What is kept of the run beside its verb and scope: the run that it goes on with, for one. */
  readonly account?: Pick<RunAccount, 'of' | 'id' | 'who'> | undefined
  /** Opens the inputs, where they are not what arguments and flags mean. */
  readonly open?: (() => Promise<OnCluster>) | undefined
  /** Another audience of the run. */
  readonly view?: RunView | undefined
}

/** Plans, validates, asks, runs and reports: what all verbs that change releases have in common. */
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
  // Asked at the same time as the secrets, which may be refused first; with a lock, charts are rendered in between.
  const seen = flags.locked ? undefined : seenOn(cluster, opened.prepared)
  seen?.catch(() => undefined)
  const supplied = await openSecrets(opened.prepared, flags, cluster)
  const prepared = supplied.planned
  const {environment} = prepared
  await heedLock(prepared, flags, console)

  const waits = !isDry && !flags['no-wait']
  const planned = await planChange(supplied, cluster, {scope, seen, waits, say: console.say})
  const {plan} = planned
  options.expect?.(planned)
  // What may install makes every change.
  const made = scope.install ? 'deploy' : verb
  const checks = {verb: isChangeVerb(made) ? made : undefined, forceVersion: flags['force-version']}
  if (checks.verb) expectVerb(plan, checks.verb)
  // The operator may be at work on other inputs, though the cluster is as it should be.
  const view = {
    isCheckedDry: true,
    ...(flags.via ? {isIdle: false} : refusingOperated(cluster.leases, plan)),
  }
  const end = await showPlan(plan, context, view)
  if (end !== undefined) {
    if (!isDry) await planned.keepSecrets()
    return end
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
    await expectReady(planned, {cluster, flags})
    return await operator.runViaOperator({scope, planned, cluster, hub, settle}, context)
  }
  const {line, given} = sameAgain({file: environment.file, names: scope.names, flags})
  const again = `kk ${verb} ${line}${sameWay(flags, scope)}`
  if (flags['in-cluster']) {
    const {runInCluster} = await import('./in-cluster.ts')
    const asked = {verb, scope, again: [again, ...(given ? [given] : [])].join(', ')}
    return await runInCluster({...asked, plan: planned.settled, environment, cluster, settle}, context)
  }
  return await runChange(planned, {options, context, scope, cluster, checks, ask, again: {again, given}})
}

/** Throws what the operator would find once it has the file. Who may not ask the cluster leaves that to the operator. */
async function expectReady(
  planned: PlannedChange,
  {cluster, flags}: {readonly cluster: Cluster; readonly flags: ChangeFlags},
): Promise<void> {
  try {
    await using _ready = await planned.ready({cluster, helm: await openUsersHelm(flags, cluster)})
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code === 'KK_FORBIDDEN') return
    if (code !== 'KK_CONFLICT') throw error
    throw new KkError(code, message, {
      cause: error,
      hint: `leave these fields out of the values; the operator takes none from others, but you may: kk operator pause ${planned.plan.environment}, then the same command without --via operator, with --force-conflicts`,
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
  /** The command that does the same again. */
  readonly again: Pick<NextCommands, 'again' | 'given'>
}

/** Makes a change ready, asks, runs it here and reports; a dry run ends before it asks. */
async function runChange(
  planned: PlannedChange,
  {options: {verb, flags, console, account}, context, scope, cluster, checks, ask, again}: RunSources,
): Promise<ExitCode> {
  const {plan, prepared} = planned
  const {environment} = prepared
  const helm = await openUsersHelm(flags, cluster)
  const data: HookData[] = []
  const shows: GiveUp = (each) => data.push(each) > 0
  const giveUp = flags['dry-run'] ? shows : asksForData(flags['confirm-data'])
  const ports = {cluster, helm, forceConflicts: flags['force-conflicts'], giveUp, ...checks}
  await using ready = await planned.ready(ports)
  for (const note of ready.notes) console.say(`note: ${note}`)
  if (flags['dry-run']) {
    for (const line of hookDataLines(data)) console.say(line)
    printResult(planDocument(withNotes(plan, ready.notes), [], data), context)
    return 0
  }
  await ask()
  const choices = {
    ...runChoices(flags, {verb, scope, ...account}),
    ...startConditionOf(verb, flags.concurrency),
  }
  const {prepull = verb === 'deploy' && flags['sandbox-name'] === NODE_NAME} = flags
  const commands = {...again, status: statusCommand(environment, flags)}
  const events = await ready.run({...choices, prepull})
  const shown = await showRun(events, {...context, choices, commands})
  const undone = await undoFailed(shown, {flags, console, environment, cluster})
  printResult({...runDocument(shown.state), ...undoneDocument(undone)}, context)
  const interrupted = [undone.rollback, undone.removal].find((each) => each?.isInterrupted)
  const exit = interrupted?.exit ?? shown.exit
  if (verb === 'deploy' && exit === 0 && flags.output === 'text')
    await offerGuard(cluster, planned.settled, {console, place: placeOf(environment.file, flags)})
  return exit
}

/** Where nobody can be asked a change goes on, but for one that replaces passwords in use. */
async function confirmChange(
  question: string,
  {yes}: Pick<ChangeFlags, 'yes'>,
  {living}: PlannedChange,
): Promise<void> {
  if (yes) return
  const replaces = living.some(({reason}) => reason !== 'stated')
  if (replaces)
    return requireConfirmation(
      question,
      'passwords in use would be replaced: state them again, or pass --yes',
    )
  if (canAsk()) await confirm(question)
}

function undoneDocument({rollback, removal}: Undone) {
  return {
    ...(rollback && {rollback: runDocument(rollback.state)}),
    ...(removal && {removal: runDocument(removal.state)}),
  }
}

/** Verbs that change what is in use: one release after the other, each through its gate, unless the user says otherwise. */
const CAREFUL: ReadonlySet<string> = new Set(['upgrade', 'update', 'reconfigure'])

/** Returns how much a verb does at once; `concurrency` is what the user says. */
function startConditionOf(
  verb: string,
  concurrency: number | undefined,
): Pick<RunChoices, 'concurrency' | 'startCondition'> {
  if (!CAREFUL.has(verb)) return {concurrency, startCondition: 'helm'}
  return {concurrency: concurrency ?? 1, startCondition: 'gate'}
}

/** The releases that words of a command line mean, where they are not the releases' own names. */
export type NamedReleases = (words: readonly string[], environment: Environment) => Promise<readonly string[]>

/** Changes what is installed: the releases that the arguments name, or all; nothing new unless `more` says so of the named ones. */
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

/** Returns what the flags say of drift. */
export function driftScope(flags: {
  readonly 'correct-drift'?: boolean
  readonly 'force-conflicts'?: boolean
}): Pick<PlanScope, 'correctDrift'> {
  return flags['correct-drift'] ? {correctDrift: {forceConflicts: flags['force-conflicts'] ?? false}} : {}
}
