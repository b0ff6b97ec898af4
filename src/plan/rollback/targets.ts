import type {ReleaseRecord} from '../../cluster/cluster.ts'
import type {RunRecord, RunRelease} from '../../cluster/runs.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/** The revision that a release is to return to. */
export interface RollbackTarget {
  readonly release: ReleaseId
  readonly revision: number
  /** For people. */
  readonly reason: string
}

/** What undoing a run means: what returns, and what of it stays, with the reason. */
export interface RunTargets {
  readonly targets: readonly RollbackTarget[]
  /** What the run installed, and is there. */
  readonly installed: readonly ReleaseId[]
  /** What does not return, with the reason, for people. */
  readonly staying: readonly string[]
}

/**
 * Every release that helm touched in a run returns to the last revision whose gate had passed before it; only these
 * releases, where they are given. What the run installed stays, for removing is another thing than undoing.
 */
export function targetsOfRun(
  run: RunRecord,
  last: ReadonlyMap<ReleaseId, ReleaseRecord>,
  only?: ReadonlySet<ReleaseId>,
): RunTargets {
  const targets: RollbackTarget[] = []
  const installed: ReleaseId[] = []
  const staying: string[] = []
  for (const entry of run.releases) {
    const record = last.get(entry.release)
    const isGone = entry.kind === 'remove' && entry.outcome === 'succeeded' && !record
    if (isGone) staying.push(`${releaseName(entry.release)} stays removed: kk deploy installs it again`)
    if ((only && !only.has(entry.release)) || !record || !isTouched(entry, record)) continue
    const name = releaseName(entry.release)
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
        reason: reasonOf(run, entry, record),
      })
  }
  return {targets, installed, staying}
}

/**
 * The same for the last run, which nobody has named: a release that a rollback has brought further back than that run
 * began is not brought forward, and where nothing of the run is left to undo, the run is named that comes next. `runs`
 * are those of the environment, newest first.
 */
export function targetsOfLastRun(
  run: RunRecord,
  last: ReadonlyMap<ReleaseId, ReleaseRecord>,
  runs: readonly RunRecord[],
): RunTargets {
  const origin = (release: ReleaseId) => originOf(last.get(release)!, runs)
  const isAhead = ({release, revision}: RollbackTarget) => origin(release) > revision
  const {targets, installed, staying} = targetsOfRun(run, last)
  const further = targets.filter(({release, revision}) => origin(release) < revision)
  const older = runs.slice(runs.findIndex(({id}) => id === run.id) + 1)
  const next = targets.some(isAhead)
    ? undefined
    : older.find((each) => each.verb !== 'rollback' && targetsOfRun(each, last).targets.some(isAhead))
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
        ? [`nothing of run ${run.id} is left to undo; further back goes: kk rollback ${next.id}`]
        : []),
    ],
  }
}

/** The revision of which the last one is a copy, as far as the rollbacks among these runs tell. */
function originOf({release, revision}: ReleaseRecord, runs: readonly RunRecord[]): number {
  const rollbacks = runs.flatMap(({releases}) => releases.filter(({kind}) => kind === 'rollback'))
  return rollbacks.reduce(
    (origin, {target, ...entry}) =>
      entry.release === release && entry.after === origin && target !== undefined ? target : origin,
    revision,
  )
}

/** A killed run may have had no time to note its end: what counts is the cluster. */
function isTouched({kind, before, outcome}: RunRelease, {revision}: ReleaseRecord): boolean {
  if (kind !== 'install' && kind !== 'upgrade' && kind !== 'rollback') return false
  return outcome !== 'waiting' && outcome !== 'skipped' && revision > before
}

function reasonOf({id}: RunRecord, {after, gatedBefore}: RunRelease, {revision}: ReleaseRecord): string {
  const later = after !== undefined && revision > after ? `, and what changed it after that run` : ''
  return `back to revision ${gatedBefore}: undoes run ${id}${later}`
}
