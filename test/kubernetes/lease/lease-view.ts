import type {Operation} from '../../../src/kubernetes/lease/operation.ts'
import type {LeaseView} from '../../../src/kubernetes/lease/view.ts'

/** A Lease that somebody holds, and that tells no more than is given. */
export function leaseView(
  given: Pick<LeaseView, 'release' | 'operation' | 'processes'> & Partial<LeaseView>,
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

/** An upgrade to revision 2 by a kk of a machine, as it stands on a Lease. */
export function upgradeBy(host: string, given: Pick<Operation, 'deadline'> & Partial<Operation>): Operation {
  return {
    verb: 'upgrade',
    revision: 2,
    run: 'run-1',
    environment: 'all-in-one',
    kk: {host, pid: 10, started: '1'},
    ...given,
  }
}
