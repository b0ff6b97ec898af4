import {type LeaseView, staleness} from '../../kubernetes/lease/view.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import {unfinished} from '../../plan/refusals.ts'
import type {Check, Found} from '../finding.ts'

/** Finds Leases whose holders are dead: the next run on the release takes them over. */
export const leasesCheck: Check = {
  name: 'leases',
  fine: 'no Lease is left of a run that is dead',
  async find({leases, last, now}) {
    const [held, records] = await Promise.all([leases(), last()])
    return held.flatMap((lease) =>
      judgeLease(
        lease,
        records.find(({release}) => release === lease.release),
        now,
      ),
    )
  },
}

/**
 * Returns the finding for a Lease whose holder is dead. Nothing has to be done: the next run that needs the Lease takes
 * it, at once or after it was seen unchanged for a minute.
 */
export function judgeLease(
  lease: LeaseView,
  record: ReleaseRecord | undefined,
  now: number,
): readonly Found[] {
  const {release, holder, isRemoval} = lease
  const why = holder === undefined ? undefined : staleness(lease, now)
  if (why === undefined) return []
  // The Lease of a pending release holds the evidence by which the release is recovered.
  const tells = record && unfinished(record) ? '; it tells what was done' : ''
  const removal = isRemoval
    ? ': it says that the release is being removed, and who would install what requires it waits for it first'
    : ''
  return [
    {
      level: 'info',
      what: `the Lease of ${release} is left by ${holder}, ${why}${tells || removal}`,
      advice: `nothing to do: the next kk command that changes ${release} takes it over by itself`,
    },
  ]
}
