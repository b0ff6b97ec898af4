import type {Cluster} from '../../cluster/cluster.ts'
import type {RunRecord} from '../../cluster/runs/run-record.ts'
import {type ExitCode, KkError} from '../../errors.ts'
import type {ReportFiles} from '../../report/files/files.ts'
import {expectSameInputs, type Resumable, runToResume, targetsOfRollback} from '../../verbs/change/resume.ts'
import {makesRevisions} from '../../verbs/change/rollback.ts'
import {runState} from '../../verbs/observation/history.ts'
import {type Console, tell} from '../console.ts'
import {openChosenCluster} from '../open/cluster.ts'
import {type Owner, type OwnerFlags, openOwner} from '../open/owner.ts'
import {type ChangeFlags, change} from './change.ts'
import {expectRollbackFor} from './on-failure.ts'
import {openReportFiles, reportNothingDone} from './report-files.ts'
import {rollBackTo} from './rollback.ts'
import {placeOf, printNothingDone} from './run.ts'
import {sameAgain, sameWay} from './same-again.ts'

export interface ResumeFlags extends ChangeFlags, OwnerFlags {
  readonly 'keep-schema': boolean
}

/** Goes on with a run: the same verb and scope, planned anew by what the cluster says. */
export async function resume(
  flags: ResumeFlags,
  argv: readonly string[],
  console: Console,
): Promise<ExitCode> {
  expectRollbackFor(flags)
  const reports = await openReportFiles(flags.report)
  const owner = await openOwner(flags, argv)
  const cluster = await openChosenCluster(flags, owner.environment, {start: false, say: () => {}})
  try {
    const found = await runOf(cluster, owner)
    if (found.kind === 'nothing')
      return await nothingToResume(found, {owner, cluster, flags, console, reports})
    const run = resumable(found.run)
    await expectEnded(run)
    tell('stderr', `going on with run ${run.id}: kk ${run.verb} of ${run.environment}, begun by ${run.who}\n`)
    const how = run.verb === 'rollback' ? resumeRollback : resumeChange
    const exit = await how({run, owner, cluster, flags, argv, console, reports})
    if (!flags['dry-run']) await closeRecord(cluster, run)
    return exit
  } finally {
    await cluster.close()
  }
}

interface Resumption {
  readonly run: RunRecord
  readonly owner: Owner
  readonly cluster: Cluster
  readonly flags: ResumeFlags
  readonly argv: readonly string[]
  readonly console: Console
  readonly reports: ReportFiles | undefined
}

async function resumeRollback({run, owner, cluster, flags, console, reports}: Resumption): Promise<ExitCode> {
  const subject = {
    environment: run.environment,
    file: owner.environment?.file ?? run.file,
    request: {kind: 'targets' as const, targets: targetsOfRollback(run)},
  }
  return rollBackTo(subject, {flags, console, cluster, environment: owner.environment, of: run.id, reports})
}

async function resumeChange({run, owner, flags, argv, console}: Resumption): Promise<ExitCode> {
  const {environment} = owner
  if (environment?.name !== run.environment) {
    throw new KkError(
      'KK_NO_ENVIRONMENT',
      `run ${run.id} is one of the environment "${run.environment}", whose file is needed to go on (then ${run.file})`,
      {hint: `name the file: kk resume ${run.id} ${run.file}`},
    )
  }
  const {line, given} = sameAgain({file: environment.file, names: run.scope.names, flags})
  const anew = [`kk ${run.verb} ${line}${sameWay(flags, run.scope)}`, ...(given ? [given] : [])].join(', ')
  return change({
    verb: run.verb,
    flags,
    argv: argv.filter((word) => !owner.words.includes(word)),
    console,
    scope: () => run.scope,
    startSandbox: false,
    expect: (planned) => expectSameInputs(run, planned, anew),
    of: run.id,
  })
}

async function runOf(cluster: Cluster, {name, words}: Owner): Promise<Resumable> {
  const [id, second] = words
  if (second !== undefined) {
    throw new KkError('KK_USAGE', `kk resume goes on with one run, but got ${words.join(', ')}`, {
      hint: 'name one run; see kk history',
    })
  }
  if (id === undefined && name === undefined) {
    throw new KkError('KK_NO_ENVIRONMENT', 'neither a run nor an environment is named', {
      hint: 'name the environment file; see kk history --all for runs',
    })
  }
  if (id === undefined) return runToResume(await cluster.runs.list(name), name!)
  const run = await cluster.runs.read(id)
  if (run) return {kind: 'unfinished', run}
  throw new KkError('KK_NO_RUN', `the cluster has no record of a run ${id}`, {hint: 'see kk history --all'})
}

/** It is no error: who asks wants nothing to be left undone, and nothing is. */
async function nothingToResume(
  {last, older}: Extract<Resumable, {kind: 'nothing'}>,
  {owner, cluster, flags, console, reports}: Omit<Resumption, 'run' | 'argv'>,
): Promise<ExitCode> {
  const {environment} = last
  const place = placeOf(owner.environment?.file ?? last.file, flags)
  const lines = [
    `nothing to resume: run ${last.id}, the last of ${environment} (kk ${last.verb}), succeeded`,
    ...(older
      ? [
          `an older one did not (kk ${older.verb}, ${older.startedAt}); to go on with that: kk resume ${older.id} ${place}`,
        ]
      : []),
  ]
  for (const line of lines) tell('stderr', `${line}\n`)
  const idle = {environment, cluster, actions: []}
  printNothingDone(idle, flags.output)
  return reportNothingDone(idle, reports, console)
}

/** A removal is confirmed by names each time it is asked for; an adoption shows the difference anew. */
function resumable(run: RunRecord): RunRecord {
  if (!makesRevisions(run)) {
    throw new KkError('KK_USAGE', `run ${run.id} was a kk ${run.verb}, which is asked for again instead`, {
      hint: 'it does again only what is not done; see kk status',
    })
  }
  if (run.verb !== 'remove' && run.verb !== 'destroy') return run
  const names = run.scope.names.map((name) => ` ${name}`).join('')
  throw new KkError('KK_USAGE', `run ${run.id} was a removal, which goes on when it is asked for again`, {
    hint: `kk ${run.verb}${names} -e ${run.file}`,
  })
}

async function expectEnded(run: RunRecord): Promise<void> {
  if ((await runState(run)) !== 'running') return
  throw new KkError(
    'KK_HELD',
    `run ${run.id} has not ended: process ${run.process.pid} of this machine is at work on it`,
    {
      hint: 'wait until it has ended, or interrupt it',
    },
  )
}

/** What was killed could not say that it ended. */
async function closeRecord(cluster: Cluster, run: RunRecord): Promise<void> {
  if (run.outcome !== 'running') return
  await cluster.runs.write({...run, outcome: 'interrupted', endedAt: new Date().toISOString()})
}
