import type {ReleaseRecord} from '../../../../cluster/cluster.ts'
import type {SeenLease} from '../../../../cluster/lease/list-leases.ts'
import {unfinished} from '../../../../plan/refusals.ts'
import type {Check, Found} from '../finding.ts'

/** Operations that have not ended: with who holds the release, as far as its Lease tells. */
export const pendingCheck: Check = {
  name: 'pending',
  needs: 'cluster',
  fine: 'no operation on a release has been left half done',
  async find({last, leases, now}) {
    const [records, held] = await Promise.all([last(), leases()])
    return records.flatMap((record) => judgePending(record, held, now))
  },
}

export function judgePending(
  record: ReleaseRecord,
  leases: readonly SeenLease[],
  now: number,
): readonly Found[] {
  const refusal = unfinished(record)
  if (!refusal) return []
  const lease = leases.find(({release}) => release === record.release)
  const isHeld = lease !== undefined && lease.runsOut > now
  const who = isHeld
    ? `${lease.holder} works on it`
    : lease
      ? `${lease.holder} worked on it, and has not renewed its Lease since ${new Date(lease.renewed).toISOString()}`
      : 'no Lease tells who worked on it'
  const what = `${refusal.message}; ${who}`
  if (isHeld) return [{level: 'info', what}]
  const advice = refusal.hint === undefined ? {} : {advice: refusal.hint}
  return [{level: record.status === 'uninstalled' ? 'info' : 'problem', what, ...advice}]
}
