import type {HeldLease} from '../../cluster/cluster.ts'
import type {ReleaseId} from '../../release.ts'
import type {Execution} from './execution.ts'
import {giveBack} from './hold.ts'

/** Works while the release's Lease is held, and gives it back, whatever happens. Throws `KK_HELD`, `KK_INTERRUPTED`. */
export async function underLease<T>(
  execution: Execution,
  work: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  execution.controls.onProgress('lease', 'taking its lease')
  const lease = await take(execution)
  if (lease.takenFrom !== undefined)
    execution.controls.onProgress('helm', `its Lease was taken over from ${lease.takenFrom}`)
  try {
    return await work(lease)
  } finally {
    await giveBack(lease)
  }
}

async function take({action, controls, hold, deadline}: Execution): Promise<HeldLease> {
  const {signal} = controls
  const onHeld = (release: ReleaseId, by: string) =>
    controls.onProgress('lease', `held by ${by}`, [{object: release, message: `it is held by ${by}`}])
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  const held = hold({release: action.release, deadline, onHeld})
  try {
    return await Promise.race([held, aborted.promise])
  } catch (error) {
    // The Lease may be had after nobody wants it any more.
    held.then(giveBack, () => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
