import {asKkError, KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {hasChanges} from '../../plan/plan.ts'
import type {ReleaseRemoval} from '../../plan/removal/objects.ts'
import {targetsOfRun} from '../../plan/rollback/targets.ts'
import {seenRevisions} from '../../prepare/seen-revisions.ts'
import {usesReader} from '../../prepare/uses-reader.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {errorText} from '../../report/error-text.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {leftText, removalText} from '../../report/plan/removal-text.ts'
import {blocks} from '../../report/text/view.ts'
import {type RunState, releasesIn} from '../../run/run-state.ts'
import {expectGivenUp, hookDataOfRollback} from '../../verbs/change/hook-data.ts'
import {planRollback, type RollbackRequest} from '../../verbs/change/rollback.ts'
import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import {planRemove} from '../../verbs/removal/remove.ts'
import {type Console, tell} from '../console.ts'
import {openUsersHelm} from '../open/cluster.ts'
import type {OnFailureFlags, RunFlags} from './flags.ts'
import {openReportFiles} from './report-files.ts'
import {runRollback} from './rollback.ts'
import {runChoices, type ShownRun, showRun} from './run.ts'
import {placeOf, statusCommand} from './same-again.ts'

/** Throws `KK_USAGE` for what is to be done with a rollback when there is to be none. */
export function expectRollbackFor(flags: OnFailureFlags): void {
  if (!flags['remove-new'] || (flags['on-failure'] ?? 'keep') !== 'keep') return
  throw new KkError(
    'KK_USAGE',
    '--remove-new goes with a rollback, but --on-failure keep rolls nothing back',
    {
      hint: 'add --on-failure rollback-run (or rollback-failed), or leave --remove-new out',
    },
  )
}

/** The runs that undid a failed run. */
export interface Undone {
  readonly rollback?: ShownRun | undefined
  readonly removal?: ShownRun | undefined
}

/**
 * Does what `--on-failure` asks for after a run in which a release failed: plans the way back and runs it. A refusal is
 * said, and hides nothing of how the run ended. After an interrupted run nothing is undone.
 */
export async function undoFailed({state, isInterrupted}: ShownRun, options: UndoOptions): Promise<Undone> {
  const {flags, console, cluster} = options
  const mode = flags['on-failure'] ?? 'keep'
  const failed = releasesIn(state, 'failed').map(({release}) => release)
  if (mode === 'keep' || isInterrupted || failed.length === 0) return {}
  tell('stderr', `\n--on-failure ${mode}\n`)
  if (hasLostLease(state)) {
    tell('stderr', 'not done: a hold was lost, and somebody else may be at work; look with kk status\n')
    return {}
  }
  const only = mode === 'rollback-failed' ? new Set(failed) : undefined
  let rollback: ShownRun | undefined
  try {
    const run = await recordOf(state, cluster)
    rollback = await rollBackRun({kind: 'run', run, only}, options)
    const isBack = rollback === undefined || rollback.exit === 0
    if (!flags['remove-new'] || !isBack) return {rollback}
    const {revisions} = await seenRevisions(cluster, {releases: run.releases.map(({release}) => release)})
    const {installed} = targetsOfRun(run, {revisions, runs: []}, only)
    return {rollback, removal: await removeNew(installed, {...options, of: run.id})}
  } catch (error) {
    console.say(errorText(asKkError(error), console.palette('stderr')))
    return {rollback}
  }
}

/** Undefined when there is nothing to roll back. */
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
  await expectGivenUp(await hookDataOfRollback(cluster, planned))
  const reports = await openReportFiles(flags.report, 'rollback')
  return runRollback(planned, {cluster, flags, console, environment, of: request.run.id, reports})
}

/** A rollback would undo what whoever has the Lease now is doing. */
function hasLostLease(state: RunState): boolean {
  return releasesIn(state, 'failed').some(({progress}) => progress.error.code === 'KK_LEASE_LOST')
}

async function recordOf({run}: RunState, cluster: Cluster) {
  const record = await cluster.runs.read(run)
  if (record) return record
  throw new KkError('KK_NO_RUN', `the record of run ${run} is not in the cluster any more`, {
    hint: 'roll releases back one by one: kk rollback --release R --revision N',
  })
}

/**
 * Removes releases that a failed run installed, with all that stands against a removal: what others use, what is
 * protected, and what would take data along, stays. Data of claims is never deleted.
 */
async function removeNew(
  releases: readonly ReleaseId[],
  {flags, console, environment, cluster, of}: UndoOptions & {readonly of: string},
): Promise<ShownRun | undefined> {
  if (releases.length === 0) return undefined
  const excused = new Set<string>()
  const context = {environment, cluster, excused, readUses: usesReader(cluster, excused)}
  const planned = await planHarmless(context, releases)
  const colours = console.palette('stderr')
  console.say(blocks([planText(planned.plan, colours), removalText(planned.releases, colours)]))
  if (!hasChanges(planned.plan)) return undefined

  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  const names = planned.plan.actions.map(({release}) => releaseName(release))
  const choices = runChoices(flags, {verb: 'remove', scope: {names, install: false}, of})
  const left: ReleaseRemoval[] = []
  const events = planned.run({...choices, ports, claims: [], onStays: (stays) => void left.push(stays)})
  const place = placeOf(environment.file, flags)
  const commands = {
    again: ['kk remove', ...names, place].join(' '),
    status: statusCommand(environment, flags),
  }
  const reports = await openReportFiles(flags.report, 'removal')
  const shown = await showRun(events, {flags, console, reports, choices, commands})
  console.say(leftText(left, colours))
  return shown
}

/** Plans a removal without what is protected or would take data along: that goes only when it is named and confirmed. */
async function planHarmless(
  context: RemovalContext,
  releases: readonly ReleaseId[],
): Promise<PlannedRemoval> {
  const planned = await planRemove(context, {names: releases, withDependents: false})
  const why = new Map<ReleaseId, string>([
    ...planned.releases.flatMap(({release, goes}) =>
      goes
        .filter((object) => object.with !== undefined)
        .map((object) => [release, `${object.name} would go ${object.with}`] as const),
    ),
    ...planned.plan.actions
      .filter((action) => action.protected)
      .map(({release}) => [release, 'protected'] as const),
  ])
  if (why.size === 0) return planned
  for (const [release, reason] of why) tell('stderr', `${releaseName(release)}: ${reason}, and not removed\n`)
  return planHarmless(
    context,
    releases.filter((release) => !why.has(release)),
  )
}

/** The circumstances in which a failed run is undone. */
export interface UndoOptions {
  readonly flags: RunFlags & OnFailureFlags
  readonly console: Console
  readonly environment: Environment
  readonly cluster: Cluster
}
