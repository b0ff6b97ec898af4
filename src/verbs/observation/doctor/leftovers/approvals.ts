import type {Approval} from '../../../../cluster/guard/guard.ts'
import {readLabels} from '../../../../plan/labels.ts'
import type {Check, Found} from '../finding.ts'

/** Approvals of the guard that have run out: they allow nothing, and go when the guard is written again. */
export const approvalsCheck: Check = {
  name: 'guard-approvals',
  needs: 'cluster',
  fine: 'no approval of the guard has run out',
  async find({cluster, last, now, place}) {
    const approvals = (await cluster.guard.parameters())?.approvals ?? []
    if (approvals.length === 0) return []
    const isNeeded = (await last()).some(({labels}) => readLabels(labels)?.protected)
    return judgeApprovals(approvals, now, `kk guard ${isNeeded ? 'install' : 'remove'} --yes ${place}`.trim())
  },
}

/** `mend` writes the guard again; where nothing is protected any more, as after an approved removal, there is none to write. */
export function judgeApprovals(approvals: readonly Approval[], now: number, mend: string): readonly Found[] {
  return approvals
    .filter(({expires}) => expires * 1000 <= now)
    .map(({release, expires, by}) => ({
      level: 'info',
      what: `the approval to delete objects of ${release}, by ${by}, ran out at ${new Date(expires * 1000).toISOString()}`,
      advice: mend,
    }))
}
