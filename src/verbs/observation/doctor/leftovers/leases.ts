import type {ReleaseRecord} from '../../../../cluster/cluster.ts'
import {KK_NAMESPACE, LEASE_SECONDS} from '../../../../cluster/lease/lease.ts'
import type {SeenLease} from '../../../../cluster/lease/list-leases.ts'
import {unfinished} from '../../../../plan/refusals.ts'
import type {Check, Found} from '../finding.ts'
import {isGone} from './dead-holder.ts'

/** Leases whose holders are dead: the next run waits until they have run out. */
export const leasesCheck: Check = {
  name: 'leases',
  needs: 'cluster',
  fine: 'no Lease is left of a run that is dead',
  async find({leases, last, now, kubectl}) {
    const [held, records] = await Promise.all([leases(), last()])
    const found = held.map(async (lease) => {
      const record = records.find(({release}) => release === lease.release)
      return judgeLease({lease, record, now, isDead: await isGone(lease.holder), kubectl})
    })
    return (await Promise.all(found)).flat()
  },
}

interface LeaseInputs {
  readonly lease: SeenLease
  readonly record: ReleaseRecord | undefined
  readonly now: number
  /** Its holder was a process of this machine, and is gone. */
  readonly isDead: boolean
  readonly kubectl: string
}

/** Beyond its own end, for clocks that differ. */
const GRACE = LEASE_SECONDS * 1000

export function judgeLease({lease, record, now, isDead, kubectl}: LeaseInputs): readonly Found[] {
  const {name, release, holder, renewed, runsOut, isRemoval} = lease
  if (!isDead && runsOut + GRACE > now) return []
  const since = new Date(renewed).toISOString()
  const why = isDead ? 'whose process is gone' : `who has not renewed it since ${since}`
  // The evidence by which a pending release is recovered stands on its Lease.
  if (record && unfinished(record))
    return [
      {level: 'info', what: `the Lease of ${release} is left by ${holder}, ${why}; it tells what was done`},
    ]
  const removal = isRemoval
    ? ': it says that the release is being removed, and who would install what requires it waits'
    : ''
  const what = `the Lease of ${release} is left by ${holder}, ${why}${removal}`
  return [{level: 'warning', what, advice: `${kubectl} delete lease ${name} --namespace ${KK_NAMESPACE}`}]
}
