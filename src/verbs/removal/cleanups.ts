import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {RunRecord, RunRecords} from '../../kubernetes/records/runs.ts'
import {type ReleaseCleanup, splitCleanups} from '../../plan/removal/cleanup.ts'
import type {Uses} from '../../plan/uses/uses.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

interface Removing {
  readonly environment: string
  readonly releases: readonly ReleaseId[]
  /** Whether `--purge` is set. */
  readonly isWanted: boolean
  /** Returns true if an earlier removal of a release was interrupted. */
  readonly isBegun: (release: ReleaseId) => boolean
}

/**
 * Returns the data of releases in other services, and whether it is removed. If helm deleted the CronJob of
 * the cleanup in an interrupted removal, the record of that run shows whether the cleanup had finished; if
 * not, it is no longer possible.
 */
export async function findCleanups(
  cluster: {readonly live: LiveObjects; readonly runs: RunRecords},
  uses: Pick<Uses, 'observed'>,
  {environment, releases, isWanted, isBegun}: Removing,
): Promise<readonly ReleaseCleanup[]> {
  const lost = new Set<ReleaseId>()
  for (const release of releases.filter(isBegun)) {
    const cronJobs = uses.observed.get(release)?.cleanups.map(({cronJob}) => cronJob) ?? []
    const present = await cluster.live.present(releaseNamespace(release), cronJobs)
    if (present.length === 0) lost.add(release)
  }
  const runs = lost.size === 0 ? [] : await cluster.runs.list(environment)
  return splitCleanups(uses, {
    releases,
    isWanted,
    lost: (release) => (lost.has(release) ? 'its cleanup job is gone: deploy the release first' : undefined),
  }).filter(({release}) => !(lost.has(release) && isCleanedUp(runs, release)))
}

/**
 * Returns true if a removal cleaned up a release and no later run deployed it. `runs` is sorted newest first.
 */
function isCleanedUp(runs: readonly RunRecord[], release: ReleaseId): boolean {
  for (const each of runs.flatMap(({releases}) => releases)) {
    if (each.release !== release) continue
    if (each.kind !== 'remove') return false
    if (each.deleted) return true
  }
  return false
}
