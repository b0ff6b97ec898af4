import {asKkError, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {hasChanges} from '../../plan/plan.ts'
import type {ReleaseRemoval} from '../../plan/removal/objects.ts'
import {targetsOfRun} from '../../plan/rollback/targets.ts'
import {usesReader} from '../../prepare/uses-reader.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {errorText} from '../../report/error-text.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {objectsLeftText, removalText} from '../../report/plan/removal-text.ts'
import {blocks} from '../../report/text/view.ts'
import {type RunState, releasesIn} from '../../run/run-state.ts'
import {expectConsent, hookDataOfRollback} from '../../verbs/change/hook-data.ts'
import {planRollback, type RollbackRequest} from '../../verbs/change/rollback.ts'
import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import {planRemove} from '../../verbs/removal/remove.ts'
import {type Console, writeView} from '../console.ts'
import {openUsersHelm} from '../open/cluster.ts'
import type {OnFailureFlags, RunFlags} from './flags.ts'
import {statusCommand, targetArguments} from './repeat-command.ts'
import {openReportFiles} from './report-files.ts'
import {runRollback} from './rollback.ts'
import {runChoices, type ShownRun, showRun} from './run.ts'

/** Throws `KK_USAGE` for a flag that requires a rollback if there will be none. */
export function expectRollbackFor(flags: OnFailureFlags): void {
  if (!flags['remove-new'] || (flags['on-failure'] ?? 'keep') !== 'keep') return
  throw new KkError(
    'KK_USAGE',
    '--remove-new requires a rollback, but --on-failure keep does not roll back',
    {
      hint: 'add --on-failure rollback-run (or rollback-failed), or omit --remove-new',
    },
  )
}

/** The runs that undid a failed run. */
export interface UndoRuns {
  readonly rollback?: ShownRun | undefined
  readonly removal?: ShownRun | undefined
}

/**
 * Carries out `--on-failure` after a run in which a release failed: plans the rollback and runs it. A refusal
 * is reported, and does not replace the outcome of the run. An interrupted run is not undone.
 */
export async function undoFailed({state, isInterrupted}: ShownRun, options: UndoOptions): Promise<UndoRuns> {
  const {flags, console, cluster} = options
  const mode = flags['on-failure'] ?? 'keep'
  const failed = releasesIn(state, 'failed').map(({release}) => release)
  if (mode === 'keep' || isInterrupted || failed.length === 0) return {}
  writeView('stderr', `\n--on-failure ${mode}\n`)
  if (hasLostLease(state)) {
    writeView(
      'stderr',
      'not done: a Lease was lost, and another process may be working; check with kk status\n',
    )
    return {}
  }
  const only = mode === 'rollback-failed' ? new Set(failed) : undefined
  let rollback: ShownRun | undefined
  try {
    const run = await readRecord(state, cluster)
    rollback = await rollBackRun({kind: 'run', run, only}, options)
    const isRolledBack = rollback === undefined || rollback.exit === 0
    if (!flags['remove-new'] || !isRolledBack) return {rollback}
    const {revisions} = await visibleRevisions(cluster, {releases: run.releases.map(({release}) => release)})
    const {installed} = targetsOfRun(run, {revisions, runs: []}, only)
    return {rollback, removal: await removeNew(installed, {...options, of: run.id})}
  } catch (error) {
    console.say(errorText(asKkError(error), console.palette('stderr')))
    return {rollback}
  }
}

/** Rolls a run back; returns undefined if there is nothing to roll back. */
async function rollBackRun(
  request: Extract<RollbackRequest, {kind: 'run'}>,
  {flags, console, environment, cluster}: UndoOptions,
): Promise<ShownRun | undefined> {
  const planned = await planRollback(cluster, {
    environment: environment.name,
    file: environment.file,
    settings: environment,
    request,
    keepSchema: flags['keep-schema'] ?? false,
  })
  console.say(planText(planned, console.palette('stderr')))
  if (!hasChanges(planned)) return undefined
  await expectConsent(await hookDataOfRollback(cluster, planned))
  const reports = await openReportFiles(flags.report, 'rollback')
  return runRollback(planned, {cluster, flags, console, environment, of: request.run.id, reports})
}

/** Returns true if the run lost a Lease: a rollback would undo the changes of its new holder. */
function hasLostLease(state: RunState): boolean {
  return releasesIn(state, 'failed').some(({progress}) => progress.error.code === 'KK_LEASE_LOST')
}

async function readRecord({run}: RunState, cluster: Cluster) {
  const record = await cluster.runs.read(run)
  if (record) return record
  throw new KkError('KK_NO_RUN', `the record of run ${run} is no longer in the cluster`, {
    hint: 'roll releases back one by one: kk rollback --release R --revision N',
  })
}

/**
 * Removes releases that a failed run installed. Releases stay if others use them, if they are protected, or
 * if data would be deleted with them. Claims are never deleted.
 */
async function removeNew(
  releases: readonly ReleaseId[],
  {flags, console, environment, cluster, of}: UndoOptions & {readonly of: string},
): Promise<ShownRun | undefined> {
  if (releases.length === 0) return undefined
  const ignored = new Set<string>()
  const context = {environment, cluster, ignored, readUses: usesReader(cluster, ignored)}
  const planned = await planSafeRemoval(context, releases)
  const colours = console.palette('stderr')
  console.say(blocks([planText(planned.plan, colours), removalText(planned.releases, colours)]))
  if (!hasChanges(planned.plan)) return undefined

  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  const names = planned.plan.actions.map(({release}) => releaseName(release))
  const choices = runChoices(flags, {verb: 'remove', scope: {names, install: false}, of})
  const remaining: ReleaseRemoval[] = []
  const events = planned.run({...choices, ports, claims: [], onStays: (stays) => void remaining.push(stays)})
  const place = targetArguments(environment.file, flags)
  const commands = {
    retryCommand: ['kk remove', ...names, place].join(' '),
    status: statusCommand(environment, flags),
  }
  const reports = await openReportFiles(flags.report, 'removal')
  const shown = await showRun(events, {flags, console, reports, choices, commands})
  console.say(objectsLeftText(remaining, colours))
  return shown
}

/**
 * Plans a removal, except of releases that are protected or would lose data, because these require a
 * confirmation by name.
 */
async function planSafeRemoval(
  context: RemovalContext,
  releases: readonly ReleaseId[],
): Promise<PlannedRemoval> {
  const planned = await planRemove(context, {names: releases, withDependents: false})
  const keepReasons = new Map<ReleaseId, string>([
    ...planned.releases.flatMap(({release, deleted}) =>
      deleted
        .filter((object) => object.with !== undefined)
        .map((object) => [release, `${object.name} would be deleted ${object.with}`] as const),
    ),
    ...planned.plan.actions
      .filter((action) => action.protected)
      .map(({release}) => [release, 'protected'] as const),
  ])
  if (keepReasons.size === 0) return planned
  for (const [release, reason] of keepReasons)
    writeView('stderr', `${releaseName(release)}: ${reason}, and not removed\n`)
  return planSafeRemoval(
    context,
    releases.filter((release) => !keepReasons.has(release)),
  )
}

/** The context in which a failed run is undone. */
export interface UndoOptions {
  readonly flags: RunFlags & OnFailureFlags
  readonly console: Console
  readonly environment: Environment
  readonly cluster: Cluster
}
