import type {ReleaseRecord} from '../../../../cluster/cluster.ts'
import {type LeaseView, staleness} from '../../../../cluster/lease/view.ts'
import {unfinished} from '../../../../plan/refusals.ts'
import type {Check, Found} from '../finding.ts'

/** Leases whose holders are dead: the next run on the release takes them over. */
export const leasesCheck: Check = {
  name: 'leases',
  needs: 'cluster',
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

/** Nothing has to be done: whoever needs such a Lease next takes it, at once or when it was seen unchanged for a minute. */
export function judgeLease(
  lease: LeaseView,
  record: ReleaseRecord | undefined,
  now: number,
): readonly Found[] {
  const {release, holder, isRemoval} = lease
  const why = holder === undefined ? undefined : staleness(lease, now)
  if (why === undefined) return []
  // The evidence by which a pending release is recovered stands on its Lease.
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
