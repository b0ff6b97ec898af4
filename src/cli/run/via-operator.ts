import {ERRORS, type ErrorCode, type ExitCode, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import {loadDocument} from '../../environment/load.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {changeSource, managedEnvironment} from '../../operator/client/environment-commands.ts'
import {followEnvironment, type OperatedEnd} from '../../operator/client/follow-environment.ts'
import {exportStore} from '../../overrides/user/document.ts'
import {isChange} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {summaryText} from '../../report/run/summary.ts'
import {newInterruption} from '../../run/interruption.ts'
import type {PlannedChange} from '../../verbs/change/planned-change.ts'
import {observedPlan} from '../../verbs/plan.ts'
import type {ClusterFlags} from '../flags.ts'
import {openChosenCluster} from '../open/cluster.ts'
import {type OnCluster, openEnvironment, prepareEnvironment} from '../open/open.ts'
import {openStoreToDeploy} from '../open/store.ts'
import {expectNoRelativeCharts} from '../operator/adopt.ts'
import {openLazyConnections} from '../operator/fleet.ts'
import type {ChangeFlags} from './flags.ts'
import {operatorCommand, withOperatorPlace} from './repeat-command.ts'
import {printReportProblems} from './report-files.ts'
import {exitCode, printResult, type RunContext, watchInterruptibly} from './run.ts'

/** An environment that the operator manages, on the cluster of its releases. */
interface OnOperated extends OnCluster {
  /** The cluster of the Environment; closed together with `cluster`. */
  readonly hub: Cluster
}

/**
 * Opens the environment and clusters for a change that the operator should make: the flags select the cluster
 * of the Environment; facts, plan and secrets are read from the cluster of its releases. Throws the errors of
 * `managedEnvironment` and of the connection to the cluster.
 */
export async function openOperated(
  flags: ChangeFlags & ClusterFlags,
  argv: readonly string[],
): Promise<OnOperated> {
  const {environment, releases} = await openEnvironment(flags, argv)
  await using opening = new AsyncDisposableStack()
  const hub = opening.use(await openChosenCluster(flags, environment))
  const managed = await managedEnvironment(hub, environment.name).catch((error: unknown) => {
    throw withOperatorPlace(error, flags)
  })
  const sites = opening.use(openLazyConnections(flags, hub))
  const site = managed.spec.cluster
    ? await (await sites.open()).forEnvironment(managed, async () => undefined).connect()
    : {cluster: hub}
  const prepared = await prepareEnvironment(environment, flags, {cluster: async () => site.cluster})
  const closing = opening.move()
  const cluster = {...site.cluster, [Symbol.asyncDispose]: () => closing.disposeAsync()}
  return {prepared, releases, cluster, hub}
}

/** A change that the operator should make. */
interface OperatedChange {
  readonly scope: PlanScope
  readonly planned: PlannedChange
  readonly cluster: Cluster
  readonly hub: Cluster
  /** Asks for confirmation, and writes what is stored in addition to the run. */
  readonly settle: () => Promise<void>
}

interface OperatedContext extends RunContext {
  readonly flags: RunContext['flags'] & ClusterFlags
}

/** Passes the file and the overrides to the operator, and follows the change. */
export async function runViaOperator(
  {scope, planned, cluster, hub, settle}: OperatedChange,
  context: OperatedContext & {readonly flags: ChangeFlags},
): Promise<ExitCode> {
  const {flags, console} = context
  const {environment} = planned.prepared
  const {name} = environment
  if (scope.names.length > 0 || !scope.install) await expectWhole(planned, cluster)
  const source = await readSource(environment, flags)
  if (flags['dry-run']) {
    printResult(planDocument(planned.plan), context)
    return 0
  }
  await settle()
  await changeSource(hub, name, {source, now: new Date()})
  console.say(`the operator has the file of ${name}`)
  return await followOperated(hub, name, context)
}

/** Throws `KK_VERB` if the operator, which reconciles whole environments, would change more than the plan. */
async function expectWhole({plan, prepared}: PlannedChange, cluster: Cluster): Promise<void> {
  const wholePlan = await observedPlan(prepared, cluster, {names: [], install: true})
  const planned = new Set(plan.actions.filter(isChange).map(({release}) => release))
  const unplanned = wholePlan.plan.actions.filter(
    (action) => isChange(action) && !planned.has(action.release),
  )
  if (unplanned.length === 0) return
  const list = unplanned.map(({kind, release}) => `${kind} ${release}`).join(', ')
  throw new KkError('KK_VERB', `the operator reconciles the whole environment: it would also ${list}`, {
    hint: 'to change the whole environment: kk deploy --via operator',
  })
}

/** Returns the file and the overrides for the operator. Throws `KK_USAGE` for a file from standard input. */
async function readSource(environment: Environment, flags: ChangeFlags) {
  const {file} = environment
  if (file === '-')
    throw new KkError('KK_USAGE', 'the operator needs a file, but the environment was read from -', {
      hint: 'write it to a file that ends in .yaml',
    })
  const {source} = await loadDocument({file})
  expectNoRelativeCharts(source)
  await using store = await openStoreToDeploy(flags, environment)
  return {file: source.text, overrides: store && (await exportStore(store, {secrets: true}))}
}

/**
 * Follows the operator like a local run; after a signal it continues. Throws the reason if it does nothing.
 */
export async function followOperated(
  cluster: Cluster,
  name: string,
  context: OperatedContext,
): Promise<ExitCode> {
  const {flags, console, reports} = context
  const interruption = newInterruption()
  const followed = {name, context: cluster.context}
  const following = followEnvironment(cluster, followed, interruption.stop)
  const {state, interrupted} = await watchInterruptibly(following.events, context, interruption)
  const end = following.end()
  const followCommand = operatorCommand(`follow ${name}`, flags)
  if (end === undefined) {
    console.say(`the operator continues with ${name}; to follow it again: ${followCommand}`)
    return interrupted ?? 130
  }
  const hasFailed = [...state.releases.values()].some(({progress}) => progress.state === 'failed')
  if (end.kind !== 'done' && !hasFailed) throw endError(name, end, flags)
  const status = operatorCommand(`status ${name}`, flags)
  console.say(
    summaryText(state, {
      palette: console.palette('stderr'),
      commands: {retryCommand: operatorCommand(`retry ${name}`, flags), status},
    }),
  )
  printResult(runDocument(state), context)
  const isReported = !reports || printReportProblems(reports, console)
  return isReported ? exitCode(state) : 1
}

function endError(name: string, {kind, reason, message}: OperatedEnd, flags: ClusterFlags): KkError {
  const status = {hint: `see the status of the operator: ${operatorCommand(`status ${name}`, flags)}`}
  if (kind === 'unapproved')
    return new KkError('KK_UNAPPROVED', message, {
      hint: `then follow it: ${operatorCommand(`follow ${name}`, flags)}`,
    })
  if (kind === 'paused')
    return new KkError('KK_PAUSED', `the operator does not change ${name}: it is paused`, status)
  const code = reason in ERRORS ? (reason as ErrorCode) : 'KK_RUN_FAILED'
  return new KkError(code, message, status)
}
