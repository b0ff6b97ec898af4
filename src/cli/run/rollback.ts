import type {Cluster} from '../../cluster/cluster.ts'
import type {Environment} from '../../environment/environment.ts'
import {type ExitCode, KkError} from '../../errors.ts'
import {readLabels} from '../../plan/labels.ts'
import type {RollbackPlan} from '../../plan/rollback/make-rollback-plan.ts'
import {lastOf} from '../../plan/rollback/ways.ts'
import {releaseName} from '../../release.ts'
import {runDocument} from '../../report/run/run-json.ts'
import {timedTasks} from '../../run/task.ts'
import {refuseDowngrade} from '../../verbs/change/deploy.ts'
import {planRollback, type RollbackRequest, runToUndo} from '../../verbs/change/rollback.ts'
import {startRun} from '../../verbs/change/start-run.ts'
import {releaseOnCluster} from '../../verbs/observation/release-on-cluster.ts'
import {seenRevisions} from '../../verbs/preparation/seen-revisions.ts'
import {type Console, requireConfirmation} from '../console.ts'
import type {OnFailureFlags, OwnerFlags, RunFlags} from '../flags.ts'
import {openChosenCluster, openUsersHelm} from '../open/cluster.ts'
import {type Owner, openOwner} from '../open/owner.ts'
import {openReportFiles} from './report-files.ts'
import {
  planInTurn,
  printResult,
  type RunContext,
  runChoices,
  type ShownRun,
  showPlan,
  showRun,
} from './run.ts'
import {placeOf} from './same-again.ts'

export interface RollbackFlags extends RunFlags, OwnerFlags {
  readonly release?: string | undefined
  readonly revision?: number | undefined
  readonly 'keep-schema'?: boolean | undefined
}

/** What returns, and whose it is. */
export interface Subject {
  readonly environment: string
  readonly file: string
  readonly request: RollbackRequest
}

/** Undoes a run, or brings one release back. */
export async function rollBack(
  flags: RollbackFlags,
  argv: readonly string[],
  console: Console,
): Promise<ExitCode> {
  const reports = await openReportFiles(flags.report)
  const owner = await openOwner(flags, argv)
  await using cluster = await openChosenCluster(flags, owner.environment)
  const subject = await subjectOf(cluster, owner, flags)
  const {environment} = owner
  return await rollBackTo(subject, {flags, console, cluster, environment, of: runOf(subject), reports})
}

/** Plans the way back, shows it, asks, rolls back and reports. */
export async function rollBackTo(subject: Subject, options: RollBackOptions): Promise<ExitCode> {
  const {flags, cluster} = options
  const {environment, file} = subject
  const planned = await planInTurn(cluster, {environment, flags}, async () =>
    planRollback(cluster, {
      environment,
      file,
      request: await requestNow(cluster, subject.request),
      settings: options.environment,
      keepSchema: flags['keep-schema'] ?? false,
    }),
  )
  const end = await showPlan(planned, options)
  if (end !== undefined) return end
  if (!flags.yes) {
    const question = `roll these releases back on ${cluster.context}?`
    await requireConfirmation(question, 'look at the plan above, then pass --yes')
  }
  const {exit, state} = await runRollback(planned, options)
  printResult(runDocument(state), options)
  return exit
}

/** A run that had to be waited for has done more since it was looked up. */
async function requestNow(cluster: Cluster, request: RollbackRequest): Promise<RollbackRequest> {
  if (request.kind !== 'run' && request.kind !== 'last-run') return request
  return {...request, run: (await cluster.runs.read(request.run.id)) ?? request.run}
}

export interface RollBackOptions extends RunContext {
  readonly cluster: Cluster
  readonly flags: RunFlags & Pick<OnFailureFlags, 'keep-schema'>
  /** For timeouts, where there is a file. */
  readonly environment: Environment | undefined
  /** The run that is undone. */
  readonly of: string | undefined
}

/** Runs a plan of rollbacks. Throws `KK_HELM_DOWNGRADE` before anything is changed. */
export async function runRollback(plan: RollbackPlan, options: RollBackOptions): Promise<ShownRun> {
  const {cluster, flags, environment, of} = options
  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  await refuseDowngrade(plan, ports)
  const names = plan.actions.filter(({kind}) => kind === 'rollback').map(({release}) => releaseName(release))
  const choices = runChoices(flags, {verb: 'rollback', scope: {names, install: false}, of})
  const events = startRun({
    ...choices,
    plan,
    ports,
    tasks: timedTasks(
      plan.actions,
      (release) => environment?.releases.get(releaseName(release))?.timeoutSeconds,
    ),
  })
  const place = placeOf(plan.file, flags)
  const again = of === undefined ? `kk status ${place}` : `kk rollback ${of} ${place}`
  return showRun(events, {...options, choices, commands: {again, status: `kk status ${place}`}})
}

async function subjectOf(cluster: Cluster, owner: Owner, flags: RollbackFlags): Promise<Subject> {
  const [id, second] = owner.words
  if (second !== undefined || (id !== undefined && flags.release !== undefined)) {
    throw new KkError(
      'KK_USAGE',
      `kk rollback undoes one run, or one release, but got ${owner.words.join(', ')}`,
      {
        hint: 'name one run, or --release R --revision N; see kk history',
      },
    )
  }
  if (flags.release !== undefined) return releaseSubject(cluster, owner, flags)
  if (id === undefined) return lastRunSubject(cluster, owner)
  const run = await cluster.runs.read(id)
  if (!run) throw new KkError('KK_NO_RUN', `the cluster has no record of a run ${id}`, {hint: runHint(id)})
  if (owner.isNamed && owner.name !== run.environment) {
    throw new KkError(
      'KK_OWNER',
      `run ${run.id} is one of the environment "${run.environment}", not of "${owner.name}"`,
      {
        hint: 'leave the environment out: the record of the run says it',
      },
    )
  }
  return {
    environment: run.environment,
    file: owner.environment?.file ?? run.file,
    request: {kind: 'run', run},
  }
}

/** For who names a release where a run is expected, as helm rollback does. */
function runHint(id: string): string {
  if (/^\d{8}-\d{6}-[0-9a-f]+$/.test(id)) return 'see kk history --all'
  return `for the release ${id}: kk rollback --release ${id} --revision N; kk history ${id} lists its revisions`
}

async function lastRunSubject(cluster: Cluster, {name, environment}: Owner): Promise<Subject> {
  if (name === undefined) {
    throw new KkError('KK_NO_ENVIRONMENT', 'no environment is named, and the last run of all is not meant', {
      hint: 'name a run, an environment file, or --owner NAME; see kk history --all',
    })
  }
  const runs = await cluster.runs.list(name)
  const run = runToUndo(runs, name)
  return {environment: name, file: environment?.file ?? run.file, request: {kind: 'last-run', run, runs}}
}

async function releaseSubject(
  cluster: Cluster,
  owner: Owner,
  {release: name, revision}: RollbackFlags,
): Promise<Subject> {
  const sought = {names: [name!], owner: owner.name, environment: owner.environment}
  const {revisions} = await seenRevisions(cluster, sought)
  const record = releaseOnCluster([...lastOf(revisions).values()], name!, owner.name)
  const environment = (owner.isNamed ? owner.name : undefined) ?? readLabels(record.labels)?.owner ?? ''
  return {
    environment,
    file:
      owner.environment?.name === environment ? owner.environment.file : await fileOf(cluster, environment),
    request: {kind: 'release', release: record.release, revision: revision!},
  }
}

/** As the last run of the environment named it: for what is said, not to be read. */
async function fileOf(cluster: Cluster, environment: string): Promise<string> {
  const [last] = await cluster.runs.list(environment)
  return last?.file ?? `${environment}.yaml`
}

function runOf({request}: Subject): string | undefined {
  return request.kind === 'run' || request.kind === 'last-run' ? request.run.id : undefined
}
