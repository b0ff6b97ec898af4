import type {ReleaseRecord} from '../kubernetes/records/release-record.ts'
import type {RunRecord, RunRelease} from '../kubernetes/records/runs.ts'
import type {ReleaseId} from '../release.ts'
import {INSTALLATION_LABEL, RUN_LABEL, readLabels} from './labels.ts'

/**
 * Returns the id that distinguishes one installation of a release from earlier and later ones: helm numbers
 * revisions from 1 again after an uninstall, so a number alone identifies no revision. It is the run that
 * installed the release; for a release that was installed without kk, or by a version of kk without this
 * label, the UID of the first record that kk upgraded. Helm copies the label to later revisions.
 */
export function installationOf(last: ReleaseRecord | undefined, run: string): string {
  return (last && readLabels(last.labels)?.installation) ?? last?.secret.uid ?? run
}

/** Returns the labels of a revision that a run makes on top of this record. */
export function runLabels(last: ReleaseRecord | undefined, run: string): Readonly<Record<string, string>> {
  return {[INSTALLATION_LABEL]: installationOf(last, run), [RUN_LABEL]: run}
}

/**
 * Returns true if a run made the revision after the one that it saw. Helm copies labels to revisions that
 * other tools make, and an interrupted rollback leaves those of the revision that it copied.
 */
export function isMadeBy({labels, revision}: ReleaseRecord, run: string, kind: string): boolean {
  const written = readLabels(labels)
  if (written?.revision === revision) return written.run === run
  return kind === 'rollback'
}

/** What the cluster stores about installations. */
export interface Installations {
  /** Every revision that helm keeps of these releases; those of one release belong to one installation. */
  readonly revisions: readonly ReleaseRecord[]
  /** The runs of the environment; needed for records of an older kk. */
  readonly runs: readonly RunRecord[]
}

/** Returns true if a run's operation on a release was on its present installation. */
export function isOfCurrentInstallation(
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
