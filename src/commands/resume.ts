import {type ExitCode, KkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import type {Console} from '../cli/console.ts'
import {type OwnerFlags, ownerFlags, renderFlags} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {type Owner, openOwner} from '../cli/open/owner.ts'
import {change} from '../cli/run/change.ts'
import {
  type ChangeFlags,
  changeFlags,
  conflictFlags,
  dataFlags,
  onFailureFlags,
  reportFlags,
  streamFlags,
  testFlags,
  upgradeCheckFlags,
  versionFlags,
} from '../cli/run/flags.ts'
import {expectRollbackFor} from '../cli/run/on-failure.ts'
import {repeatCommand, retryFlags, targetArguments} from '../cli/run/repeat-command.ts'
import {openReportFiles} from '../cli/run/report-files.ts'
import {rollBackTo} from '../cli/run/rollback.ts'
import {endIdle, type RunContext} from '../cli/run/run.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {runState} from '../kubernetes/records/run-entry.ts'
import type {RunRecord} from '../kubernetes/records/runs.ts'
import {expectSameInputs, type Resumable, runToResume} from '../verbs/change/resume.ts'
import {makesRevisions} from '../verbs/change/rollback.ts'

export default class Resume extends KkCommand {
  static override summary = 'Resume a run that was interrupted, killed, or failed.'
  static override description =
    'Plans the same verb and the same releases again from the current state of the cluster: completed actions are not repeated. Works on any machine that has the environment file and its charts, because the cluster has the record of the run. Without a run, resumes the last run of the environment; if that succeeded, there is nothing to resume, and an older run must be named. If the inputs differ from those of the run, refuses and lists the releases.'
  static override usage = '[FILE] [RUN] [FLAGS]'
  static override examples = [
    'kk resume environments/all-in-one.yaml --sandbox',
    'kk resume 20261121-083000-3f9a environments/all-in-one.yaml --sandbox',
  ]
  static override strict = false
  static override args = {run: argument({description: 'The run and the environment file, in any order.'})}
  static override flags = {
    ...renderFlags,
    ...ownerFlags,
    ...changeFlags,
    ...dataFlags,
    ...versionFlags,
    ...upgradeCheckFlags,
    ...conflictFlags,
    ...onFailureFlags,
    ...testFlags,
    ...reportFlags,
    ...streamFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Resume)
    process.exitCode = await resume(flags, argv as string[], this.console)
  }
}

type ResumeFlags = ChangeFlags & OwnerFlags

/** Resumes a run: the same verb and scope, planned again from the state of the cluster. */
async function resume(flags: ResumeFlags, argv: readonly string[], console: Console): Promise<ExitCode> {
  expectRollbackFor(flags)
  const context = {flags, console, reports: await openReportFiles(flags.report)}
  const owner = await openOwner(flags, argv)
  await using cluster = await openChosenCluster(flags, owner.environment)
  const resumable = await findRun(cluster, owner)
  if (resumable.kind === 'nothing') return await nothingToResume(resumable, {...context, owner, cluster})
  const {run} = resumable
  expectResumable(run)
  await expectEnded(run)
  console.say(`resuming run ${run.id}: kk ${run.verb} of ${run.environment}, started by ${run.who}`)
  const resumption = {...context, run, owner, cluster}
  const exit =
    run.verb === 'rollback' ? await resumeRollback(resumption) : await resumeChange(resumption, argv)
  if (!flags['dry-run']) await closeRecord(cluster, run)
  return exit
}

interface Resumption extends RunContext {
  readonly flags: ResumeFlags
  readonly run: RunRecord
  readonly owner: Owner
  readonly cluster: Cluster
}

async function resumeRollback({run, owner, ...context}: Resumption): Promise<ExitCode> {
  const subject = {
    environment: run.environment,
    file: owner.environment?.file ?? run.file,
    request: {kind: 'resumed' as const, run},
  }
  return rollBackTo(subject, {...context, environment: owner.environment, of: run.id})
}

async function resumeChange(
  {run, owner, flags, console}: Resumption,
  argv: readonly string[],
): Promise<ExitCode> {
  const {environment} = owner
  if (environment?.name !== run.environment) {
    throw new KkError(
      'KK_NO_ENVIRONMENT',
      `run ${run.id} belongs to the environment "${run.environment}", whose file is needed to resume it (${run.file} at that time)`,
      {hint: `pass the file: kk resume ${run.id} ${run.file}`},
    )
  }
  const {line, setHint} = repeatCommand({file: environment.file, names: run.scope.names, flags})
  const retryCommand = [
    `kk ${run.verb} ${line}${retryFlags(flags, run.scope)}`,
    ...(setHint ? [setHint] : []),
  ].join(', ')
  return change({
    verb: run.verb,
    flags,
    argv: argv.filter((word) => !owner.words.includes(word)),
    console,
    scope: () => run.scope,
    startSandbox: false,
    expect: ({plan}) => expectSameInputs(run, plan, retryCommand),
    account: {of: run.id},
  })
}

async function findRun(cluster: Cluster, {name, words}: Owner): Promise<Resumable> {
  const [id, second] = words
  if (second !== undefined) {
    throw new KkError('KK_USAGE', `kk resume takes one run, but got ${words.join(', ')}`, {
      hint: 'pass one run; see kk history',
    })
  }
  if (id === undefined && name === undefined) {
    throw new KkError('KK_NO_ENVIRONMENT', 'neither a run nor an environment is named', {
      hint: 'pass the environment file; see kk history --all for runs',
    })
  }
  if (id === undefined) return runToResume(await cluster.runs.list(name), name!)
  const run = await cluster.runs.read(id)
  if (run) return {kind: 'unfinished', run}
  throw new KkError('KK_NO_RUN', `the cluster has no record of a run ${id}`, {hint: 'see kk history --all'})
}

/** Reports that there is nothing to resume; this is not an error, because nothing is left to do. */
async function nothingToResume(
  {last, undone, older}: Extract<Resumable, {kind: 'nothing'}>,
  {owner, cluster, ...context}: Omit<Resumption, 'run'>,
): Promise<ExitCode> {
  const {environment} = last
  const place = targetArguments(owner.environment?.file ?? last.file, context.flags)
  const lines = [
    `nothing to resume: run ${last.id}, the last of ${environment} (kk ${last.verb}), succeeded`,
    ...(undone ? [`it undid run ${undone.id}; to start that again: ${restartCommand(undone, place)}`] : []),
    ...(older
      ? [
          `an older run did not (kk ${older.verb}, ${older.startedAt}); to resume that: kk resume ${older.id} ${place}`,
        ]
      : []),
  ]
  context.console.say(lines.join('\n'))
  return endIdle({environment, cluster, actions: []}, context)
}

function restartCommand({verb, scope}: RunRecord, place: string): string {
  return ['kk', verb, ...scope.names, place].join(' ')
}

/**
 * Throws `KK_USAGE` for a removal, which needs its confirmations again, and for an adoption, which shows its
 * differences again.
 */
function expectResumable(run: RunRecord): void {
  if (!makesRevisions(run)) {
    throw new KkError(
      'KK_USAGE',
      `run ${run.id} was a kk ${run.verb}, which is repeated instead of resumed`,
      {
        hint: 'run the command again: it skips what is done; see kk status',
      },
    )
  }
  if (run.verb !== 'remove' && run.verb !== 'destroy') return
  const names = run.scope.names.map((name) => ` ${name}`).join('')
  throw new KkError('KK_USAGE', `run ${run.id} was a removal, which is repeated instead of resumed`, {
    hint: `kk ${run.verb}${names} -e ${run.file}`,
  })
}

async function expectEnded(run: RunRecord): Promise<void> {
  if ((await runState(run)) !== 'running') return
  throw new KkError(
    'KK_HELD',
    `run ${run.id} has not ended: process ${run.process.pid} of this machine is running it`,
    {hint: 'wait until it has ended, or interrupt it'},
  )
}

/** Records the outcome of a run that was killed before it could record it. */
async function closeRecord(cluster: Cluster, run: RunRecord): Promise<void> {
  if (run.outcome !== 'running') return
  await cluster.runs.write({...run, outcome: 'interrupted', endedAt: new Date().toISOString()})
}
