import {identifyProcess} from '../../state/processes/process-identity.ts'
import {thisProcess} from '../../state/processes/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import type {HeldLease} from '../cluster.ts'
import type {PlainLease} from './hold.ts'
import {OPERATION, type Operation} from './operation.ts'

/** A held Lease on which is written what helm is started for. Deadlines are by the clock of the API server. */
export function withOperation(lease: PlainLease, client: Pick<ApiClient, 'now'>): HeldLease {
  let operation: Operation | undefined
  const write = async (next: Operation) => {
    operation = next
    await lease.annotate({[OPERATION]: JSON.stringify(next)})
  }
  return {
    ...lease,
    async begin({milliseconds, ...begun}) {
      await write({...begun, deadline: Math.round(client.now() + milliseconds), kk: await thisProcess()})
    },
    async started(pid) {
      const helm = await identifyProcess(pid)
      if (operation && helm) await write({...operation, helm})
    },
    async ended() {
      if (operation) await write({...operation, ended: true})
    },
  }
}
