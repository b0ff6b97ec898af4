import {asKkError, type ExitCode, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {type ChangeVerb, expectVerb, isChangeVerb} from '../../plan/changes/change-verb.ts'
import {isOverridden} from '../../plan/expectations/expect-store.ts'
import {type Plan, withNotes} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {runDocument} from '../../report/run/run-json.ts'
import type {RunView} from '../../report/run/run-view.ts'
import {NODE_NAME} from '../../sandbox/sandbox.ts'
import {type GiveUp, type HookData, hookDataLines} from '../../verbs/change/hook-data.ts'
import {settledPlan} from '../../verbs/change/in-turn.ts'
import {type Deployment, readyDeployment} from '../../verbs/change/planned-change.ts'
import type {RunAccount, RunChoices} from '../../verbs/change/start-run.ts'
import type {ObservedPlan} from '../../verbs/plan.ts'
import {keepSecrets, withInputs} from '../../verbs/secrets/keep-secrets.ts'
import {expectStated} from '../../verbs/secrets/living-secrets.ts'
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

/** The inputs of a plan. */
export interface PlanBasis {
  readonly prepared: Prepared
  readonly observed: ObservedPlan
}

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
  readonly expect?: ((planned: Plan, basis: PlanBasis) => void) | undefined
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
  const supplied = await openSecrets(opened.prepared, flags, cluster)
  const prepared = supplied.planned
  const {environment} = prepared
  await heedLock(prepared, flags, console)

  const waits = !isDry && !flags['no-wait']
  const observed = await settledPlan(prepared, cluster, {scope, waits, say: console.say})
  const planned = observed.plan
  options.expect?.(planned, {prepared, observed})
  // What may install makes every change.
  const made = scope.install ? 'deploy' : verb
  const checks = {verb: isChangeVerb(made) ? made : undefined, forceVersion: flags['force-version']}
  if (checks.verb) expectVerb(planned, checks.verb)
  // The operator may be at work on other inputs, though the cluster is as it should be.
  const view = {isCheckedDry: true, ...(flags.via ? {isIdle: false} : refusingOperated(cluster, planned))}
  const end = await showPlan(planned, context, view)
  if (end !== undefined) {
    if (!isDry) await keepSecrets(supplied, planned, cluster)
    return end
  }

  expectStated(observed.living)
  const settle = async () => {
    await confirmChange(`${verb} these releases to ${cluster.context}?`, flags, observed)
    const isUsed = [...prepared.releases.values()].some(({desired}) => isOverridden(desired))
    if (prepared.store && isUsed && !options.open)
      await bindStore(flags, environment, {...prepared.store, cluster: planned.cluster.uid})
    await keepSecrets(supplied, planned, cluster)
  }
  const settled = withInputs(planned, supplied.settled)
  if (operated) {
    const {hub} = operated
    await expectReady(supplied.settled, settled, {cluster, flags})
    return operator.runViaOperator({scope, plan: planned, prepared, cluster, hub, settle}, context)
  }
  if (flags['in-cluster']) {
    const {line, given} = sameAgain({file: environment.file, names: scope.names, flags})
    const again = [`kk ${verb} ${line}${sameWay(flags, scope)}`, ...(given ? [given] : [])].join(', ')
    const {runInCluster} = await import('./in-cluster.ts')
    return runInCluster({verb, scope, plan: settled, environment, cluster, settle, again}, context)
  }
  const helm = await openUsersHelm(flags, cluster)
  const forceConflicts = flags['force-conflicts']
  const asks = asksForData(flags['confirm-data'])
  const data: HookData[] = []
  const shows: GiveUp = (each) => data.push(each) > 0
  const ports = {cluster, helm, forceConflicts, giveUp: isDry ? shows : asks, ...checks}
  const deployment = await readyDeployment(supplied.settled, settled, ports)
  await using closing = new AsyncDisposableStack()
  closing.defer(() => deployment.close())
  for (const note of deployment.notes) console.say(`note: ${note}`)
  if (isDry) {
    for (const line of hookDataLines(data)) console.say(line)
    printResult(planDocument(withNotes(planned, deployment.notes), [], data), context)
    return 0
  }
  await settle()
  return await runChange(deployment, {options, context, scope, environment, cluster})
}

/** Throws what the operator would find once it has the file. Who may not ask the cluster leaves that to the operator. */
async function expectReady(
  prepared: Prepared,
  plan: ObservedPlan['plan'],
  {cluster, flags}: {readonly cluster: Cluster; readonly flags: ChangeFlags},
): Promise<void> {
  try {
    const ready = await readyDeployment(prepared, plan, {cluster, helm: await openUsersHelm(flags, cluster)})
    await ready.close()
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code === 'KK_FORBIDDEN') return
    if (code !== 'KK_CONFLICT') throw error
    throw new KkError(code, message, {
      cause: error,
      hint: `leave these fields out of the values; the operator takes none from others, but you may: kk operator pause ${prepared.environment.name}, then the same command without --via operator, with --force-conflicts`,
    })
  }
}

interface RunSources {
  readonly options: Change
  readonly context: RunContext
  readonly scope: PlanScope
  readonly environment: Environment
  readonly cluster: Cluster
}

async function runChange(
  deployment: Deployment,
  {options: {verb, flags, console, account}, context, scope, environment, cluster}: RunSources,
): Promise<ExitCode> {
  const choices = {
    ...runChoices(flags, {verb, scope, ...account}),
    ...startConditionOf(verb, flags.concurrency),
  }
  const {prepull = verb === 'deploy' && flags['sandbox-name'] === NODE_NAME} = flags
  const place = placeOf(environment.file, flags)
  const {line, given} = sameAgain({file: environment.file, names: scope.names, flags})
  const commands = {
    again: `kk ${verb} ${line}${sameWay(flags, scope)}`,
    given,
    status: statusCommand(environment, flags),
  }
  const shown = await showRun(deployment.run({...choices, prepull}), {...context, choices, commands})
  const undone = await undoFailed(shown, {flags, console, environment, cluster})
  printResult({...runDocument(shown.state), ...undoneDocument(undone)}, context)
  const interrupted = [undone.rollback, undone.removal].find((each) => each?.isInterrupted)
  const exit = interrupted?.exit ?? shown.exit
  if (verb === 'deploy' && exit === 0 && flags.output === 'text')
    await offerGuard(cluster, deployment.plan, {console, place})
  return exit
}

/** Where nobody can be asked a change goes on, but for one that replaces passwords in use. */
async function confirmChange(
  question: string,
  {yes}: Pick<ChangeFlags, 'yes'>,
  {living}: ObservedPlan,
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
