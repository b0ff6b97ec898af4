import type {LeaseView} from '../../../src/cluster/lease/view.ts'

/** A Lease that somebody holds, and that tells no more than is given. */
export function leaseView(
  given: Pick<LeaseView, 'release' | 'operation' | 'sighting'> & Partial<LeaseView>,
): LeaseView {
  return {
    holder: 'ada@laptop',
    process: undefined,
    acquiredAt: undefined,
    renewedAt: undefined,
    runsOut: undefined,
    isRemoval: false,
    ...given,
  }
}
