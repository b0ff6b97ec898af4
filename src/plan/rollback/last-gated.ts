import type {ReleaseRecord} from '../../cluster/cluster.ts'
import type {ReleaseId} from '../../release.ts'
import {readLabels} from '../labels.ts'

/** Of each release the newest revision, among those that helm keeps, whose own gate has passed. */
export function lastGated(revisions: readonly ReleaseRecord[]): ReadonlyMap<ReleaseId, number> {
  const gated = new Map<ReleaseId, number>()
  for (const record of revisions) {
    const {release, revision} = record
    if (hasPassed(record) && revision > (gated.get(release) ?? 0)) gated.set(release, revision)
  }
  return gated
}

/** Labels are handed down: a mark counts on the revision that it names, and on one that kk wrote. */
export function hasPassed({labels, revision}: ReleaseRecord): boolean {
  return readLabels(labels)?.gated === revision
}
