import type {Cluster} from '../../cluster/cluster.ts'
import {standingOf} from '../../cluster/lease/standing.ts'
import {KkError} from '../../errors.ts'
import type {Plan} from '../../plan/plan.ts'
import {takesLease} from '../../run/execute/leases/hold.ts'

/** Finds out before the first change whether somebody holds what a plan would change. Throws `KK_HELD` naming all of it. */
export async function expectFree({actions}: Plan, cluster: Pick<Cluster, 'leases'>): Promise<void> {
  const changing = actions.filter(({kind}) => takesLease(kind)).map(({release}) => release)
  const leases = new Map((await cluster.leases()).map((lease) => [lease.release, lease]))
  const list = changing.flatMap((release) => {
    const lease = leases.get(release)
    if (lease?.holder === undefined) return []
    const {isGone, by} = standingOf(lease)
    return isGone ? [] : [`${release} is held by ${by}`]
  })
  if (list.length === 0) return
  throw new KkError('KK_HELD', `${list.join('; ')}; nothing was changed`, {
    hint: 'wait until that has ended; without --no-wait kk waits for it, and takes over from who was killed',
  })
}
