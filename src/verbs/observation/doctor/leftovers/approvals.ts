import type {Approval} from '../../../../cluster/guard/guard.ts'
import type {Check, Found} from '../finding.ts'

/** Approvals of the guard that have run out: they allow nothing, and go when the guard is written again. */
export const approvalsCheck: Check = {
  name: 'guard-approvals',
  needs: 'cluster',
  fine: 'no approval of the guard has run out',
  async find({cluster, now, place}) {
    return judgeApprovals((await cluster.guard.parameters())?.approvals ?? [], now, place)
  },
}

export function judgeApprovals(approvals: readonly Approval[], now: number, place: string): readonly Found[] {
  return approvals
    .filter(({expires}) => expires * 1000 <= now)
    .map(({release, expires, by}) => ({
      level: 'info',
      what: `the approval to delete objects of ${release}, by ${by}, ran out at ${new Date(expires * 1000).toISOString()}`,
      advice: `kk guard install --yes ${place}`.trim(),
    }))
}
