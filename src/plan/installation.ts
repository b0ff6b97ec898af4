import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import type {RunRecord, RunRelease} from '../kubernetes/records/runs.ts'
import type {ReleaseId} from '../release.ts'
import {INSTALLATION_LABEL, RUN_LABEL, readLabels} from './labels.ts'

/**
 * Returns what tells one installation of a release from those before and after it: helm numbers revisions from 1 again
 * after an uninstall, so a number alone names no revision. It is the run that installed the release; of one that kk did not
 * install, or an older kk did, the UID of the record upon which kk first writes it. Helm hands the label down.
 */
export function installationOf(last: ReleaseRecord | undefined, run: string): string {
  return (last && readLabels(last.labels)?.installation) ?? last?.secret.uid ?? run
}

/** Returns the labels of a revision that a run makes upon this record. */
export function makerLabels(last: ReleaseRecord | undefined, run: string): Readonly<Record<string, string>> {
  return {[INSTALLATION_LABEL]: installationOf(last, run), [RUN_LABEL]: run}
}

/**
 * Returns whether a run made the revision after the one that it saw. Helm hands labels down to revisions that others make,
 * and a rollback that was cut short has those of the revision that it copied.
 */
export function isMadeBy({labels, revision}: ReleaseRecord, run: string, kind: string): boolean {
  const written = readLabels(labels)
  if (written?.revision === revision) return written.run === run
  return kind === 'rollback'
}

/** What the cluster tells of installations. */
export interface Installations {
  /** Every revision that helm keeps, of the releases in question: those of one release are of one installation. */
  readonly revisions: readonly ReleaseRecord[]
  /** Those of the environment; needed for what an older kk has recorded. */
  readonly runs: readonly RunRecord[]
}

/** Returns whether what a run did with a release it did with the installation that there is now. */
export function isOfPresent(
  run: RunRecord,
  {release, installation, before}: RunRelease,
  {revisions, runs}: Installations,
): boolean {
  const records = revisions.filter((record) => record.release === release)
  if (installation !== undefined)
    return records.some(({labels, secret}) =>
      [readLabels(labels)?.installation, secret.uid].includes(installation),
    )
  if (wasRemovedAfter(run, release, runs)) return false
  // Seconds: the API server writes no fractions.
  const began = Math.floor(Date.parse(run.startedAt) / 1000) * 1000
  const times = records.map(({secret}) => Date.parse(secret.createdAt ?? ''))
  const ended = Date.parse(run.endedAt ?? '')
  return times.some((time) => (before === 0 ? time >= began && time <= ended : time <= began))
}

function wasRemovedAfter({startedAt}: RunRecord, release: ReleaseId, runs: readonly RunRecord[]): boolean {
  return runs.some(
    (run) =>
      run.startedAt > startedAt &&
      run.releases.some(
        (each) => each.release === release && each.kind === 'remove' && each.outcome === 'succeeded',
      ),
  )
}
