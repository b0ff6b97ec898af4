import type {Cluster} from '../../../cluster/cluster.ts'
import {asKkError} from '../../../errors.ts'
import {unfinished} from '../../../plan/refusals.ts'
import {awaitOperation} from './await-operation.ts'

export interface Turn {
  /** Whether who is at work is waited for. */
  readonly waits: boolean
  /** Told once of each who is waited for. */
  readonly say: (line: string) => void
}

/**
 * What is planned when it is this run's turn: while planning is refused with `KK_PENDING` because another run is at work
 * on a release, its end is awaited, and what is then there is planned anew. Throws what planning throws; `KK_PENDING`
 * at once for what no run of kk is seen to work on.
 */
export async function inTurn<T>(
  cluster: Pick<Cluster, 'lease' | 'lastRecord' | 'now'>,
  plan: () => Promise<T>,
  {waits, say}: Turn,
): Promise<T> {
  const told = new Set<string>()
  const sayOnce = (line: string) => {
    if (!told.has(line)) say(line)
    told.add(line)
  }
  for (;;) {
    try {
      return await plan()
    } catch (error) {
      const {code, release} = asKkError(error)
      if (!waits || code !== 'KK_PENDING' || release === undefined) throw error
      if (await awaitOperation(cluster, release, sayOnce)) continue
      // It may have ended between the plan and the look at its Lease.
      const record = await cluster.lastRecord(release)
      if (record && unfinished(record)) throw error
    }
  }
}
