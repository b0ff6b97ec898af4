import {hasChanges} from '../../plan/plan.ts'
import type {ReleaseRemoval} from '../../plan/removal/objects.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {palette} from '../../report/colour.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {leftText, removalText} from '../../report/plan/removal-text.ts'
import {usesReader} from '../../verbs/preparation/uses-reader.ts'
import type {PlannedRemoval, RemovalContext} from '../../verbs/removal/planned.ts'
import {planRemove} from '../../verbs/removal/remove.ts'
import {openUsersHelm} from '../open.ts'
import {openReportFilesBeside} from '../show/report-files.ts'
import {placeOf, type ShownRun, showRun} from '../show/show-run.ts'
import {levelOf} from '../show/streams.ts'
import {tell} from '../show/tell.ts'
import type {UndoOptions} from './undo-options.ts'

/**
 * Removes releases that a failed run installed, with all that stands against a removal: what others use, what is
 * protected, and what would take data along, stays. Data of claims is never deleted.
 */
export async function removeNew(
  releases: readonly ReleaseId[],
  {flags, words, environment, cluster, of}: UndoOptions & {readonly of: string},
): Promise<ShownRun | undefined> {
  if (releases.length === 0) return undefined
  const excused = new Set<string>()
  const context = {environment, cluster, excused, readUses: usesReader(cluster, excused)}
  const planned = await planHarmless(context, releases)
  const colours = palette(levelOf('stderr', words))
  tell('stderr', `${planText(planned.plan, colours)}\n${removalText(planned.releases, colours)}`)
  if (!hasChanges(planned.plan)) return undefined

  const ports = {cluster, helm: await openUsersHelm(flags, cluster)}
  const {output, concurrency, 'fail-fast': failFast, 'no-wait': noWait, message} = flags
  const names = planned.plan.actions.map(({release}) => releaseName(release))
  const account = {verb: 'remove', scope: {names, install: false}, message, of}
  const place = placeOf(environment.file, flags)
  const commands = {again: ['kk remove', ...names, place].join(' '), status: `kk status ${place}`}
  const left: ReleaseRemoval[] = []
  const onStays = (stays: ReleaseRemoval) => void left.push(stays)
  const reports = await openReportFilesBeside(flags.report, 'removal')
  const shown = await showRun(
    (interruption) =>
      planned.run({ports, claims: [], onStays, concurrency, failFast, noWait, interruption, account}),
    {output, words, commands, reports},
  )
  tell('stderr', leftText(left, colours))
  return shown
}

/** What is protected, and what would take data along, goes only when it is named and confirmed, which nobody has done here. */
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
