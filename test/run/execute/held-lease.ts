import type {HeldLease} from '../../../src/kubernetes/lease/leases.ts'

/** A Lease that is held and never lost, and keeps nothing. */
export function heldLease(more: Partial<HeldLease> = {}): HeldLease {
  const nothing = async () => undefined
  return {
    takenFrom: undefined,
    lost: new AbortController().signal,
    expectHeld: () => undefined,
    annotate: nothing,
    begin: nothing,
    started: nothing,
    ended: nothing,
    leave: nothing,
    release: nothing,
    ...more,
  }
}
