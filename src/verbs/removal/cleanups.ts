import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {RunRecord, RunRecords} from '../../kubernetes/records/runs.ts'
import {type ReleaseCleanup, splitCleanups} from '../../plan/removal/cleanup.ts'
import type {Uses} from '../../plan/uses/uses.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

interface Removing {
  readonly environment: string
  readonly releases: readonly ReleaseId[]
  /** `--purge`. */
  readonly isWanted: boolean
  /** Whether an earlier removal of a release was cut short. */
  readonly isBegun: (release: ReleaseId) => boolean
}

/**
 * Returns what releases have in other services, and what becomes of it. Where helm has deleted the CronJob in a removal that was cut
 * short, the record of that run tells whether it had taken all away; if not, nothing can any more.
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
    lost: (release) =>
      lost.has(release) ? 'what takes it away is gone: deploy the release first' : undefined,
  }).filter(({release}) => !(lost.has(release) && isTakenAway(runs, release)))
}

/** Whether a removal has taken away what a release had in other services, and nobody has deployed it since. Newest first. */
function isTakenAway(runs: readonly RunRecord[], release: ReleaseId): boolean {
  for (const each of runs.flatMap(({releases}) => releases)) {
    if (each.release !== release) continue
    if (each.kind !== 'remove') return false
    if (each.deleted) return true
  }
  return false
}
