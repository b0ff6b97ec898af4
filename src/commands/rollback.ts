import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {clusterFlags, environmentFlags, type FlagValues, helmFlags, ownerFlags} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {type Owner, openOwner} from '../cli/open/owner.ts'
import {changeFlags, dataFlags, reportFlags, streamFlags} from '../cli/run/flags.ts'
import {openReportFiles} from '../cli/run/report-files.ts'
import {rollBackTo, type Subject} from '../cli/run/rollback.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {lastRevisions} from '../kubernetes/records/record.ts'
import {readLabels} from '../plan/labels.ts'
import {visibleRevisions} from '../prepare/visible-revisions.ts'
import {runToUndo} from '../verbs/change/rollback.ts'
import {releaseOnCluster} from '../verbs/observation/release-on-cluster.ts'

export default class Rollback extends KkCommand {
  static override summary = 'Roll back to the state before a run, dependents first.'
  static override description =
    'Rolls each release that the run changed back to its last healthy revision, with helm rollback, including its configuration. Without a run, undoes the last run of the environment that was not itself a rollback. Releases that the run installed stay. Databases are not rolled back: across a migration, --keep-schema is required.'
  static override usage = '[FILE] [RUN] [FLAGS]'
  static override examples = [
    'kk rollback environments/all-in-one.yaml --sandbox',
    'A run of any environment; kk history shows the IDs.\nkk rollback 20261121-083000-3f9a --sandbox',
    'kk rollback --release keystone --revision 3 --sandbox',
  ]
  static override strict = false
  static override args = {
    run: argument({description: 'The run to undo and the environment file, in any order.'}),
  }
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    release: Flags.string({
      summary: 'Roll back one release instead of a run.',
      helpValue: 'RELEASE',
      dependsOn: ['revision'],
    }),
    revision: Flags.integer({
      summary: 'The revision to roll back to.',
      helpValue: 'N',
      min: 1,
      dependsOn: ['release'],
    }),
    'keep-schema': Flags.boolean({
      summary: 'Roll back across a migration: the services are rolled back, the newer schema stays.',
    }),
    ...changeFlags,
    ...dataFlags,
    ...reportFlags,
    ...streamFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Rollback)
    const context = {flags, console: this.console, reports: await openReportFiles(flags.report)}
    const owner = await openOwner(flags, argv as string[])
    await using cluster = await openChosenCluster(flags, owner.environment)
    const subject = await findSubject(cluster, owner, flags)
    const {environment} = owner
    process.exitCode = await rollBackTo(subject, {...context, cluster, environment, of: runId(subject)})
  }
}

type RollbackFlags = FlagValues<typeof Rollback.flags>

async function findSubject(cluster: Cluster, owner: Owner, flags: RollbackFlags): Promise<Subject> {
  const [id, second] = owner.words
  if (second !== undefined || (id !== undefined && flags.release !== undefined)) {
    throw new KkError(
      'KK_USAGE',
      `kk rollback undoes one run, or one release, but got ${owner.words.join(', ')}`,
      {hint: 'pass one run, or --release R --revision N; see kk history'},
    )
  }
  if (flags.release !== undefined) return releaseSubject(cluster, owner, flags)
  if (id === undefined) return lastRunSubject(cluster, owner)
  const run = await cluster.runs.read(id)
  if (!run) throw new KkError('KK_NO_RUN', `the cluster has no record of a run ${id}`, {hint: runHint(id)})
  if (owner.isNamed && owner.name !== run.environment) {
    throw new KkError(
      'KK_OWNER',
      `run ${run.id} belongs to the environment "${run.environment}", not to "${owner.name}"`,
      {hint: 'omit the environment: the record of the run has it'},
    )
  }
  return {
    environment: run.environment,
    file: owner.environment?.file ?? run.file,
    request: {kind: 'run', run},
  }
}

/** Returns the hint for an unknown run: it may be the name of a release, as in helm rollback. */
function runHint(id: string): string {
  if (/^\d{8}-\d{6}-[0-9a-f]+$/.test(id)) return 'see kk history --all'
  return `for the release ${id}: kk rollback --release ${id} --revision N; kk history ${id} lists its revisions`
}

async function lastRunSubject(cluster: Cluster, {name, environment}: Owner): Promise<Subject> {
  if (name === undefined) {
    throw new KkError(
      'KK_NO_ENVIRONMENT',
      'no environment is named, and the last run of all environments is not a default',
      {
        hint: 'pass a run, an environment file, or --owner NAME; see kk history --all',
      },
    )
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
  const query = {names: [name!], owner: owner.name, environment: owner.environment}
  const {revisions} = await visibleRevisions(cluster, query)
  const record = releaseOnCluster([...lastRevisions(revisions).values()], name!, owner.name)
  const environment = (owner.isNamed ? owner.name : undefined) ?? readLabels(record.labels)?.owner ?? ''
  return {
    environment,
    file:
      owner.environment?.name === environment
        ? owner.environment.file
        : await recordedFile(cluster, environment),
    request: {kind: 'release', release: record.release, revision: revision!},
  }
}

/** Returns the file name in the record of the last run of the environment, for messages only. */
async function recordedFile(cluster: Cluster, environment: string): Promise<string> {
  const [last] = await cluster.runs.list(environment)
  return last?.file ?? `${environment}.yaml`
}

function runId({request}: Subject): string | undefined {
  return request.kind === 'run' || request.kind === 'last-run' ? request.run.id : undefined
}
