import type {Blame} from '../../../cluster/cluster.ts'
import type {Execution} from '../execution.ts'
import {raced} from '../races.ts'

/** A revision whose health is awaited for as long as it is the one that counts. */
export interface Current {
  /** Aborts with the run, and with `KK_RACED` once the revision has been removed or replaced. */
  readonly signal: AbortSignal
  /** Is told what is not healthy yet: what is missing may have been removed with its release. */
  look(blames: readonly Blame[]): void
}

export function whileCurrent({action, cluster, controls}: Execution, revision: number): Current {
  const {release} = action
  const replaced = new AbortController()
  const readRecord = async () => {
    const record = await cluster.lastRecord(release)
    if (record?.revision === revision && record.status === 'deployed') return
    const what = record ? `it is ${record.status} at revision ${record.revision}` : 'it is gone'
    replaced.abort(raced(release, `${what} while the gate of revision ${revision} was awaited`))
  }
  return {
    signal: AbortSignal.any([controls.signal, replaced.signal]),
    look(blames) {
      // Whoever cannot read the record goes on waiting, to the deadline.
      if (blames.some(({reason}) => reason === 'NotFound')) readRecord().catch(() => {})
    },
  }
}
