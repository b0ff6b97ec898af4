import {type ErrorCode, type ExitCode, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import {loadDocument} from '../../environment/load.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import {parseValuesFlag} from '../../overrides/release-flags.ts'
import {exportStore} from '../../overrides/user/document.ts'
import type {Plan} from '../../plan/plan.ts'
import type {PlanScope} from '../../plan/scope.ts'
import {releaseNamespace} from '../../release.ts'
import {documentText} from '../../report/document.ts'
import {planDocument} from '../../report/plan/plan-json.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {summaryText} from '../../report/run/summary.ts'
import {newInterruption} from '../../run/interruption.ts'
import {announcedRun} from '../../run/ledger.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {whoAmI} from '../../state/processes/who-am-i.ts'
import {expectNotOperated, newRunId} from '../../verbs/change/start-run.ts'
import {clusterRun, followClusterRun, type RunPlace} from '../../verbs/in-cluster/follow-run.ts'
import {jobObjects, type RunJob, startJob} from '../../verbs/in-cluster/run-job.ts'
import {
  ENVIRONMENT_FILE,
  FACTS_FILE,
  LOCK_FILE,
  OVERRIDES_FILE,
  plannedActions,
  REQUEST_FILE,
  type RunRequest,
  valuesFile,
} from '../../verbs/in-cluster/run-request.ts'
import type {ClusterFlags} from '../flags.ts'
import {factsFile} from '../open/layers.ts'
import {openStoreToDeploy} from '../open/store.ts'
import {expectNoRelativeCharts} from '../operator/adopt.ts'
import {VERSION} from '../version.ts'
import type {ChangeFlags} from './flags.ts'
import {expectImage} from './image-reference.ts'
import {targetArguments} from './repeat-command.ts'
import {printReportProblems} from './report-files.ts'
import {printResult, type RunContext, watchInterruptibly} from './run.ts'

/** A change that a Job in the cluster should make. */
interface ClusterChange {
  readonly verb: string
  readonly scope: PlanScope
  /** The plan, with the inputs that the run deploys. */
  readonly plan: Plan
  readonly environment: Environment
  readonly cluster: Cluster
  /** Asks for confirmation, and writes what is stored in addition to the run. */
  readonly settle: () => Promise<void>
  /** The command that repeats the change. */
  readonly retryCommand: string
}

interface ClusterContext extends RunContext {
  readonly flags: ChangeFlags
}

/** Runs a plan in a Job in the cluster, and follows it. */
export async function runInCluster(change: ClusterChange, context: ClusterContext): Promise<ExitCode> {
  const {flags, console} = context
  const {plan, cluster, settle} = change
  await expectNotOperated(cluster.leases, plan)
  const id = newRunId()
  const announced = announcedRun(id, plan, Date.now())
  if (flags['dry-run']) {
    const {account, job, owned} = jobObjects(await runJob(id, change, flags), announced)
    const objects = [...account, job, ...owned.map(withoutContent)]
    printResult({...planDocument(plan), objects}, context)
    if (flags.output === 'text')
      console.print(objects.map((each) => `---\n${documentText(each, 'yaml')}`).join(''))
    return 0
  }
  await settle()
  const job = await runJob(id, change, flags)
  await startJob(job, announced, cluster)
  const place = {id, namespace: job.namespace}
  console.say(`run ${id} is running as Job ${job.namespace}/kk-run-${id} on ${cluster.context}`)
  if (!flags.detach) return await followInCluster(cluster, place, context)
  console.say(`to follow it: ${followCommand(place, flags)}`)
  console.document(flags.output, {run: id, namespace: job.namespace}, () => id)
  return 0
}

/** Replaces the content of a Secret by `***`; the keys stay. */
function withoutContent(object: ReturnType<typeof jobObjects>['job']) {
  const {data, ...rest} = object
  if (object.kind !== 'Secret') return object
  const names = Object.keys(data as Readonly<Record<string, string>>)
  return {...rest, data: Object.fromEntries(names.map((name) => [name, '***']))}
}

/** The flags that are passed to a run in the cluster. */
const FORWARDED_FLAGS = [
  ...['concurrency', 'fail-fast', 'no-wait', 'message', 'set', 'set-string', 'adopt-store'],
  ...['force-version', 'locked'],
  ...['force-conflicts', 'on-failure', 'remove-new', 'keep-schema', 'prepull', 'confirm-data'],
] as const satisfies readonly string[]

async function runJob(
  id: string,
  {verb, scope, plan, environment, retryCommand}: ClusterChange,
  flags: ChangeFlags,
): Promise<RunJob> {
  const values = (flags.values ?? []).map(parseValuesFlag)
  const flagValues: Readonly<Record<string, unknown>> = flags
  const request: RunRequest = {
    ...{kk: VERSION, id, verb, scope},
    file: environment.file,
    who: whoAmI(),
    flags: Object.fromEntries(
      FORWARDED_FLAGS.flatMap((name) => (flagValues[name] === undefined ? [] : [[name, flagValues[name]]])),
    ),
    values: values.map(({release}) => release),
    isThrowaway: flags.sandbox === true || flags['sandbox-name'] !== undefined,
    planned: plannedActions(plan),
  }
  expectImage(flags.image)
  const files = await readInputFiles(environment, flags)
  const valueTexts = await Promise.all(values.map(({file}) => readNamedFile(file)))
  return {
    ...{id, verb, retryCommand, who: request.who},
    environment: plan.environment,
    namespace: flags['job-namespace'] ?? KK_NAMESPACE,
    releases: [...new Set(plan.actions.map(({release}) => releaseNamespace(release)))],
    makesOfCluster: flags['cluster-objects'] ?? false,
    image: flags.image!,
    request: {retryCommand, who: request.who},
    files: {
      [REQUEST_FILE]: JSON.stringify(request),
      ...files,
      ...Object.fromEntries(valueTexts.map((text, index) => [valuesFile(index), text])),
    },
  }
}

/**
 * Returns the environment and its related files by name. Throws `KK_USAGE` for an environment from standard
 * input.
 */
async function readInputFiles(
  environment: Environment,
  flags: ChangeFlags,
): Promise<Readonly<Record<string, string>>> {
  if (environment.file === '-') {
    throw new KkError('KK_USAGE', 'a run in the cluster needs a file, but the environment was read from -', {
      hint: 'write it to a file that ends in .yaml',
    })
  }
  const {source} = await loadDocument({file: environment.file})
  expectNoRelativeCharts(source)
  await using store = await openStoreToDeploy(flags, environment)
  const facts = factsFile(flags)
  const lock = flags.locked ? await readNamedFile(`${source.directory}/${LOCK_FILE}`) : undefined
  return {
    [ENVIRONMENT_FILE]: source.text,
    // By now the secrets are stored in the cluster.
    ...(store && {[OVERRIDES_FILE]: await exportStore(store, {secrets: true})}),
    ...(facts !== undefined && {[FACTS_FILE]: await readNamedFile(facts)}),
    ...(lock !== undefined && {[LOCK_FILE]: lock}),
  }
}

interface FollowContext extends RunContext {
  readonly flags: RunContext['flags'] & ClusterFlags
}

/**
 * Follows a run in the cluster like a local run; after a signal it continues in the cluster. Throws the error
 * of the run.
 */
export async function followInCluster(
  cluster: Cluster,
  place: RunPlace,
  context: FollowContext,
): Promise<ExitCode> {
  const {flags, console, reports} = context
  const clusterJob = await clusterRun(cluster, place)
  const interruption = newInterruption()
  const following = followClusterRun(cluster, place, interruption.stop)
  const {state, interrupted} = await watchInterruptibly(following.events, context, interruption)
  const end = following.end()
  if (end === undefined) {
    console.say(
      `run ${place.id} continues in the cluster; to follow it again: ${followCommand(place, flags)}`,
    )
    return interrupted ?? 130
  }
  if (end.error) {
    const {code, message, hint, log} = end.error
    const details = {exit: end.exit, log, ...(hint !== undefined && {hint})}
    throw new KkError(code as ErrorCode, message, details)
  }
  const status = `kk status --owner ${clusterJob.environment} ${targetArguments('', flags).trim()}`.trim()
  const commands = {retryCommand: clusterJob.retryCommand, status}
  console.say(summaryText(state, {palette: console.palette('stderr'), commands}))
  printResult(runDocument(state), context)
  const isReported = !reports || printReportProblems(reports, console)
  return end.exit === 0 && !isReported ? 1 : end.exit
}

function followCommand({id, namespace}: RunPlace, flags: ClusterFlags): string {
  const words = [
    ...(namespace === KK_NAMESPACE ? [] : [`--job-namespace ${namespace}`]),
    targetArguments('', flags).trim(),
  ]
  return ['kk run follow', id, ...words].join(' ').trim()
}
