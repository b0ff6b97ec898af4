import type {Cluster} from '../../cluster/cluster.ts'
import {splitArguments} from '../../environment/choose.ts'
import type {Environment} from '../../environment/environment.ts'
import type {ExitCode} from '../../errors.ts'
import {type ChangeVerb, expectVerb, isChangeVerb} from '../../plan/changes/change-verb.ts'
import {isOverridden} from '../../plan/expectations/expect-store.ts'
import {hasChanges, type Plan} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {documentText} from '../../report/document.ts'
import type {ReportFiles} from '../../report/files/files.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {runDocument} from '../../report/run/run-json.ts'
import type {Interruption} from '../../run/interruption.ts'
import {NODE_NAME} from '../../sandbox/sandbox.ts'
import {type Deployment, readyDeployment} from '../../verbs/change/deploy.ts'
import type {RunAccount, RunChoices} from '../../verbs/change/start-run.ts'
import {settledPlan} from '../../verbs/change/turn/in-turn.ts'
import type {ObservedPlan} from '../../verbs/plan.ts'
import type {Prepared} from '../../verbs/preparation/prepare.ts'
import {keepSecrets, withInputs} from '../../verbs/secrets/keep-secrets.ts'
import {expectStated} from '../../verbs/secrets/living-secrets.ts'
import {type Console, canAsk, confirm, requireConfirmation, tell} from '../console.ts'
import {offerGuard} from '../guard.ts'
import {openUsersHelm} from '../open/cluster.ts'
import {openOnCluster} from '../open/open.ts'
import {openSecrets} from '../open/secrets.ts'
import {bindStore, type StoreFlags} from '../open/store.ts'
import {expectRollbackFor, type OnFailure, type Undone, undoFailed} from './on-failure.ts'
import {openReportFiles, reportNothingDone} from './report-files.ts'
import {type ChangingRunFlags, placeOf, printNothingDone, printPlan, showRun} from './run.ts'
import {sameAgain, sameWay} from './same-again.ts'

export interface ChangeFlags extends StoreFlags, ChangingRunFlags {
  readonly 'force-version'?: boolean | undefined
  readonly 'force-conflicts'?: boolean | undefined
  readonly 'on-failure'?: OnFailure | undefined
  readonly 'keep-schema'?: boolean | undefined
  readonly 'adopt-store'?: boolean | undefined
  readonly 'remove-new'?: boolean | undefined
  readonly values?: readonly string[] | undefined
  readonly set?: readonly string[] | undefined
  /** By default on the all-in-one node. */
  readonly prepull?: boolean | undefined
}

/** What a plan was made of. */
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
  readonly scope: (releases: readonly string[]) => PlanScope
  /** Start the sandbox when it does not run. */
  readonly startSandbox: boolean
  /** Throws when the plan, or what it was made of, is not what it should be. */
  readonly expect?: ((planned: Plan, basis: PlanBasis) => void) | undefined
  /** The run that this one goes on with. */
  readonly of?: string | undefined
}

/** Plans, validates, asks, runs and reports: what all verbs that change releases have in common. */
export async function change(options: Change): Promise<ExitCode> {
  const {verb, flags, argv, console, scope, startSandbox, of} = options
  const say = (text: string) => tell('stderr', text.endsWith('\n') ? text : `${text}\n`)
  expectRollbackFor(flags)
  const reports = await openReportFiles(flags.report)
  const wanted = scope(splitArguments(argv).releases)
  const start = startSandbox && !flags['dry-run']
  const {prepared: opened, cluster} = await openOnCluster(flags, argv, {start, say})
  try {
    const supplied = await openSecrets(opened, flags, cluster)
    const prepared = supplied.planned
    const isDry = flags['dry-run']
    const waits = !isDry && !flags['no-wait']
    const observed = await settledPlan(prepared, cluster, {scope: wanted, waits, say})
    const planned = observed.plan
    options.expect?.(planned, {prepared, observed})
    const checks = {verb: isChangeVerb(verb) ? verb : undefined, forceVersion: flags['force-version']}
    if (checks.verb) expectVerb(planned, checks.verb)
    if (!isDry) say(planText(planned, console.palette('stderr')))
    // A document is one: the plan, or why it would be refused.
    const isLate = (flags.output === 'json' || flags.output === 'yaml') && hasChanges(planned)
    const printDry = () => printPlan(planned, flags.output, console.level('stdout'))
    if (isDry && !isLate) printDry()
    if (isDry && !hasChanges(planned)) return 0
    if (!hasChanges(planned) && !isDry) {
      printNothingDone(planned, flags.output)
      return await reportNothingDone(planned, reports, console)
    }
    expectStated(observed.living)
    const helm = await openUsersHelm(flags, cluster)
    const deployment = await readyDeployment(supplied.settled, withInputs(planned, supplied.settled), {
      cluster,
      helm,
      forceConflicts: flags['force-conflicts'],
      ...checks,
    })
    try {
      if (isDry) {
        if (isLate) printDry()
        return 0
      }
      await confirmChange(`${verb} these releases to ${cluster.context}?`, flags, observed)
      if (prepared.store && [...prepared.releases.values()].some(({desired}) => isOverridden(desired)))
        await bindStore(flags, prepared.environment, {...prepared.store, cluster: planned.cluster.uid})
      await keepSecrets(supplied, planned, cluster)
      const account = {verb, scope: wanted, message: flags.message, of}
      const {environment} = prepared
      const exit = await runDeployment(deployment, {flags, console, account, reports, environment, cluster})
      if (verb === 'deploy' && exit === 0 && flags.output === 'text')
        await offerGuard(cluster, planned, {console, place: placeOf(environment.file, flags)})
      return exit
    } finally {
      await deployment.close()
    }
  } finally {
    await cluster.close()
  }
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

interface RunContext extends Pick<Change, 'flags' | 'console'> {
  readonly account: RunAccount
  readonly reports: ReportFiles | undefined
  readonly environment: Environment
  readonly cluster: Cluster
}

async function runDeployment(
  deployment: Deployment,
  {flags, console, account, reports, environment, cluster}: RunContext,
): Promise<ExitCode> {
  const {output, 'fail-fast': failFast, 'no-wait': noWait} = flags
  const startCondition = startConditionOf(account.verb, flags.concurrency)
  const {prepull = account.verb === 'deploy' && flags['sandbox-name'] === NODE_NAME} = flags
  const place = placeOf(environment.file, flags)
  const {line, given} = sameAgain({file: environment.file, names: account.scope.names, flags})
  const again = `kk ${account.verb} ${line}${sameWay(flags, account.scope)}`
  const commands = {again, given, status: `kk status ${place}`}
  const start = (interruption: Interruption) =>
    deployment.run({...startCondition, failFast, noWait, interruption, account, prepull})
  const shown = await showRun(start, {output, console, commands, reports})
  const undone = await undoFailed(shown, {flags, console, environment, cluster})
  if (output === 'json' || output === 'yaml') {
    const document = {...runDocument(shown.state), ...undoneDocument(undone)}
    process.stdout.write(documentText(document, output))
  }
  const interrupted = [undone.rollback, undone.removal].find((each) => each?.isInterrupted)
  return interrupted?.exit ?? shown.exit
}

function undoneDocument({rollback, removal}: Undone) {
  return {
    ...(rollback && {rollback: runDocument(rollback.state)}),
    ...(removal && {removal: runDocument(removal.state)}),
  }
}

/** Verbs that change what is in use: one release after the other, each through its gate, unless the user says otherwise. */
const CAREFUL: ReadonlySet<string> = new Set(['upgrade', 'update', 'reconfigure'])

/** How much a verb does at once; `concurrency` is what the user says. */
function startConditionOf(
  verb: string,
  concurrency: number | undefined,
): Pick<RunChoices, 'concurrency' | 'startCondition'> {
  if (!CAREFUL.has(verb)) return {concurrency, startCondition: 'helm'}
  return {concurrency: concurrency ?? 1, startCondition: 'gate'}
}

/** A verb that changes what is installed: the releases that the arguments name, or all, and nothing new. */
export function changeInstalled(
  verb: Exclude<ChangeVerb, 'deploy'>,
  options: Pick<Change, 'flags' | 'argv' | 'console'>,
  more: Pick<PlanScope, 'correctDrift'> = {},
): Promise<ExitCode> {
  const scope = (names: readonly string[]) => ({names, install: false, ...more})
  return change({verb, ...options, scope, startSandbox: false})
}

/** What the flags say of drift. */
export function driftScope(flags: {
  readonly 'correct-drift'?: boolean
  readonly 'force-conflicts'?: boolean
}): Pick<PlanScope, 'correctDrift'> {
  return flags['correct-drift'] ? {correctDrift: {forceConflicts: flags['force-conflicts'] ?? false}} : {}
}
