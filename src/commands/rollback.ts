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
import {lastOf} from '../kubernetes/records/record.ts'
import {readLabels} from '../plan/labels.ts'
import {seenRevisions} from '../prepare/seen-revisions.ts'
import {runToUndo} from '../verbs/change/rollback.ts'
import {releaseOnCluster} from '../verbs/observation/release-on-cluster.ts'

export default class Rollback extends KkCommand {
  static override summary = 'Return to what was deployed before a run, dependents first.'
  static override description =
    'Each release that the run touched goes back to the last revision whose gate had passed before, by a real helm rollback, with its configuration. Without a run, the last one of the environment that was not itself a rollback. What a run installed stays. Databases do not go back: across a migration it is refused without --keep-schema.'
  static override examples = [
    'kk rollback environments/all-in-one.yaml --sandbox',
    'A run of any environment; kk history shows their ids.\nkk rollback 20261121-083000-3f9a --sandbox',
    'kk rollback --release keystone --revision 3 --sandbox',
  ]
  static override strict = false
  static override args = {
    run: argument({description: 'The run to undo, and the environment file, in any order.'}),
  }
  static override flags = {
    ...environmentFlags,
    ...ownerFlags,
    release: Flags.string({
      summary: 'One release instead of a run.',
      helpValue: 'RELEASE',
      dependsOn: ['revision'],
    }),
    revision: Flags.integer({
      summary: 'The revision that it returns to.',
      helpValue: 'N',
      min: 1,
      dependsOn: ['release'],
    }),
    'keep-schema': Flags.boolean({
      summary: 'Go back across a migration: the services return, the newer schema stays.',
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
    const subject = await subjectOf(cluster, owner, flags)
    const {environment} = owner
    process.exitCode = await rollBackTo(subject, {...context, cluster, environment, of: runOf(subject)})
  }
}

type RollbackFlags = FlagValues<typeof Rollback.flags>

async function subjectOf(cluster: Cluster, owner: Owner, flags: RollbackFlags): Promise<Subject> {
  const [id, second] = owner.words
  if (second !== undefined || (id !== undefined && flags.release !== undefined)) {
    throw new KkError(
      'KK_USAGE',
      `kk rollback undoes one run, or one release, but got ${owner.words.join(', ')}`,
      {hint: 'name one run, or --release R --revision N; see kk history'},
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
      {hint: 'leave the environment out: the record of the run says it'},
    )
  }
  return {
    environment: run.environment,
    file: owner.environment?.file ?? run.file,
    request: {kind: 'run', run},
  }
}

/** Returns the hint for a run that is not known: it may be the name of a release, as helm rollback takes it. */
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

/** Returns the file as the last run of the environment named it: for what is said, not to be read. */
async function fileOf(cluster: Cluster, environment: string): Promise<string> {
  const [last] = await cluster.runs.list(environment)
  return last?.file ?? `${environment}.yaml`
}

function runOf({request}: Subject): string | undefined {
  return request.kind === 'run' || request.kind === 'last-run' ? request.run.id : undefined
}
