import type {Cluster} from '../../cluster/cluster.ts'
import {KkError} from '../../errors.ts'
import type {Plan} from '../../plan/plan.ts'
import {takesLease} from '../../run/execute/leases/hold.ts'

/** Finds out before the first change whether somebody holds what a plan would change. Throws `KK_HELD` naming all of it. */
export async function expectFree({actions}: Plan, cluster: Pick<Cluster, 'holders'>): Promise<void> {
  const changing = actions.filter(({kind}) => takesLease(kind)).map(({release}) => release)
  const held = await cluster.holders(changing)
  if (held.length === 0) return
  const list = held.map(({release, holder}) => `${release} is held by ${holder}`)
  throw new KkError('KK_HELD', `${list.join('; ')}; nothing was changed`, {
    hint: 'wait until that has ended; without --no-wait kk waits for it, and takes over from who was killed',
  })
}
