import {type LeaseView, staleness} from '../../kubernetes/lease/view.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {unfinished} from '../../plan/refusals.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** Finds Leases whose holders are dead: the next run on the release takes them over. */
export const leasesCheck: Check = {
  name: 'leases',
  okMessage: 'no Leases of dead runs',
  async run({leases, last, now}) {
    const [current, records] = await Promise.all([leases(), last()])
    return current.flatMap((lease) =>
      judgeLease(
        lease,
        records.find(({release}) => release === lease.release),
        now,
      ),
    )
  },
}

/**
 * Returns the finding for a Lease whose holder is dead. No action is needed: the next run that needs the
 * Lease takes it, immediately or after it was unchanged for a minute.
 */
export function judgeLease(
  lease: LeaseView,
  record: ReleaseRecord | undefined,
  now: number,
): readonly CheckFinding[] {
  const {release, holder, isRemoval} = lease
  const why = holder === undefined ? undefined : staleness(lease, now)
  if (why === undefined) return []
  // The Lease of a pending release has the evidence for its recovery.
  const evidence = record && unfinished(record) ? '; it records what was done' : ''
  const removal = isRemoval
    ? ': it marks the release as being removed, and installs that require it wait for it first'
    : ''
  return [
    {
      level: 'info',
      what: `the Lease of ${release} is left by ${holder}, ${why}${evidence || removal}`,
      advice: `nothing to do: the next kk command that changes ${release} takes it over automatically`,
    },
  ]
}
