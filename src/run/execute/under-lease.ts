import type {HeldLease} from '../../cluster/cluster.ts'
import type {Execution} from './execute.ts'

/** Works while the release's Lease is held, and gives it back, whatever happens. Throws `KK_HELD`, `KK_INTERRUPTED`. */
export async function underLease<T>(
  execution: Execution,
  work: (lease: HeldLease) => Promise<T>,
): Promise<T> {
  execution.controls.onProgress('lease', 'taking its lease')
  const lease = await hold(execution)
  try {
    return await work(lease)
  } finally {
    await giveBack(lease)
  }
}

async function hold({action, cluster, controls, holder, deadline}: Execution): Promise<HeldLease> {
  const {signal} = controls
  const {release} = action
  const onHeld = (by: string) =>
    controls.onProgress('lease', `held by ${by}`, [{object: release, message: `it is held by ${by}`}])
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort)
  const held = cluster.hold(release, holder, deadline, onHeld)
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

/** A Lease that cannot be given back runs out by itself; that must not hide how the work ended. */
function giveBack(lease: HeldLease): Promise<void> {
  return lease.release().catch(() => undefined)
}
