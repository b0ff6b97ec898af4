import {KkError} from '../../base/errors.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {RunRecord, RunRelease} from '../../kubernetes/records/runs.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {type Installations, isOfCurrentInstallation} from '../installation.ts'

/** The revision that a release is to return to. */
export interface RollbackTarget {
  readonly release: ReleaseId
  readonly revision: number
  /** For people. */
  readonly reason: string
}

/** The result of undoing a run: the releases that return, and those that stay, with the reason. */
export interface RunTargets {
  readonly targets: readonly RollbackTarget[]
  /** The releases that the run installed and that exist. */
  readonly installed: readonly ReleaseId[]
  /** The releases that do not return, with the reason, for people. */
  readonly staying: readonly string[]
}

/**
 * Returns the targets of undoing a run: every release that helm changed returns to its last revision before
 * the run whose gate had passed; `only` limits the releases. Releases that the run installed stay, because a
 * rollback removes nothing. Releases that were removed and re-installed since stay, too: their revisions have
 * the same numbers, but belong to another installation.
 */
export function targetsOfRun(
  run: RunRecord,
  observed: Installations,
  only?: ReadonlySet<ReleaseId>,
): RunTargets {
  const last = lastRevisions(observed.revisions)
  const targets: RollbackTarget[] = []
  const installed: ReleaseId[] = []
  const staying: string[] = []
  for (const entry of run.releases) {
    const record = last.get(entry.release)
    const name = releaseName(entry.release)
    if (only && !only.has(entry.release)) continue
    if (!record) {
      if (isRemoval(entry) || (isBegun(entry) && wasThere(entry)))
        staying.push(`${name} stays removed: kk deploy installs it again`)
      continue
    }
    if (!isBegun(entry)) continue
    if (!isOfCurrentInstallation(run, entry, observed)) {
      if (wasThere(entry)) staying.push(`${name} stays: ${otherInstallation(run, entry)}`)
      continue
    }
    if (record.revision <= entry.before) continue
    if (entry.before === 0) {
      installed.push(entry.release)
      staying.push(`${name} stays: the run installed it`)
      continue
    }
    if (entry.gatedBefore === 0) staying.push(`${name} stays: no revision before the run had passed its gate`)
    else
      targets.push({
        release: entry.release,
        revision: entry.gatedBefore,
        reason: describeTarget(run, entry, record),
      })
  }
  return {targets, installed, staying}
}

/**
 * As `targetsOfRun`, for the last run, which the user has not named: a release that a later rollback returned
 * to an earlier revision than the one before this run is not moved forward. If nothing of the run is left to
 * undo, a note names the next run to undo. The runs are those of the environment, newest first.
 */
export function targetsOfLastRun(run: RunRecord, observed: Installations): RunTargets {
  const {runs} = observed
  const last = lastRevisions(observed.revisions)
  const origin = (release: ReleaseId) => findOrigin(last.get(release)!, observed)
  const isAhead = ({release, revision}: RollbackTarget) => origin(release) > revision
  const {targets, installed, staying} = targetsOfRun(run, observed)
  const further = targets.filter(({release, revision}) => origin(release) < revision)
  const older = runs.slice(runs.findIndex(({id}) => id === run.id) + 1)
  const next = targets.some(isAhead)
    ? undefined
    : older.find((each) => each.verb !== 'rollback' && targetsOfRun(each, observed).targets.some(isAhead))
  return {
    targets: targets.filter((target) => !further.includes(target)),
    installed,
    staying: [
      ...staying,
      ...further.map(
        ({release, revision}) =>
          `${releaseName(release)} stays: it is at what revision ${origin(release)} was, further back than revision ${revision}, with which run ${run.id} began`,
      ),
      ...(next
        ? [`nothing of run ${run.id} is left to undo; to go further back: kk rollback ${next.id}`]
        : []),
    ],
  }
}

/**
 * Returns the targets of an earlier rollback. Throws `KK_MOVED` for releases removed since, installed again
 * or not.
 */
export function targetsOfRollback(run: RunRecord, observed: Installations): readonly RollbackTarget[] {
  const last = lastRevisions(observed.revisions)
  const entries = run.releases.filter(({target}) => target !== undefined)
  const moved = entries.flatMap((entry) => {
    const {release} = entry
    if (!last.has(release)) return [`${releaseName(release)} is no longer installed`]
    return isOfCurrentInstallation(run, entry, observed)
      ? []
      : [`${releaseName(release)}: ${otherInstallation(run, entry)}`]
  })
  if (moved.length > 0) {
    throw new KkError('KK_MOVED', `run ${run.id} cannot be continued: ${moved.join('; ')}`, {
      hint: 'name a release and a revision that it has now: kk rollback --release R --revision N; see kk history R',
    })
  }
  return entries.map(({release, target}) => ({
    release,
    revision: target!,
    reason: `back to revision ${target}: continues run ${run.id}`,
  }))
}

function otherInstallation({id}: RunRecord, {installation}: RunRelease): string {
  return installation === undefined
    ? `no revision of the time of run ${id} is left, so it was removed and installed again since, or these are pruned`
    : `it was removed and installed again after run ${id}`
}

/** Returns the revision of which the last one is a copy, according to the rollbacks among these runs. */
function findOrigin({release, revision}: ReleaseRecord, observed: Installations): number {
  let origin = revision
  for (const run of observed.runs) {
    const entry = run.releases.find((each) => each.release === release)
    if (entry?.target === undefined || entry.after !== origin) continue
    if (isOfCurrentInstallation(run, entry, observed)) origin = entry.target
  }
  return origin
}

/**
 * Returns true if helm may have made a revision. A killed run may not have recorded it: then the cluster
 * decides.
 */
function isBegun({kind, before, after, outcome}: RunRelease): boolean {
  if (kind !== 'install' && kind !== 'upgrade' && kind !== 'rollback') return false
  return outcome !== 'waiting' && outcome !== 'skipped' && (after === undefined || after > before)
}

/** Returns true if the run saw the release, or made it: a failed installation may have made nothing. */
function wasThere({before, after}: RunRelease): boolean {
  return before > 0 || after !== undefined
}

function isRemoval({kind, outcome}: RunRelease): boolean {
  return kind === 'remove' && outcome === 'succeeded'
}

function describeTarget(
  {id}: RunRecord,
  {after, gatedBefore}: RunRelease,
  {revision}: ReleaseRecord,
): string {
  const later = after !== undefined && revision > after ? `, and what changed it after that run` : ''
  return `back to revision ${gatedBefore}: undoes run ${id}${later}`
}
