import type {Health} from '../../cluster/cluster.ts'
import type {ReleaseId} from '../../release.ts'
import type {Leftover} from './leftovers.ts'

/** A release that requires another, directly or not. */
interface Dependent {
  readonly release: ReleaseId
  /** Its owner; undefined when it is not on the cluster yet, or kk did not install it. */
  readonly environment: string | undefined
  /** Whether kk did not install it: its chart says what it requires. */
  readonly isForeign?: true
}

/** Who works on a release now, by its Lease. */
export interface ReleaseHolder {
  /** User, host, process and run; and the helm that has outlived them. */
  readonly holder: string
  /** ISO 8601, of the holder's clock; undefined where the Lease does not tell. */
  readonly since: string | undefined
  /** What is done; undefined where the Lease does not tell. */
  readonly operation: string | undefined
  /** Why nobody works under it any more, so that the next run takes it over; absent while somebody may. */
  readonly stale?: string
}

/** One release, as it is on the cluster. */
export interface ReleaseStatus {
  readonly release: ReleaseId
  readonly chart: string
  readonly version: string
  /** 0 when it is not installed. */
  readonly revision: number
  readonly status: string
  /** Whether a deploy would find other inputs than those that are deployed. */
  readonly inputs: 'current' | 'changed' | 'unknown'
  /** False for what the environment owns, but its file no longer names. */
  readonly wanted: boolean
  /** Undefined when it is not installed, or its record cannot be read. */
  readonly health: Health | undefined
  readonly owner: string | undefined
  readonly holder?: ReleaseHolder
  readonly requires: readonly string[]
  /** Those of other environments included. */
  readonly dependents: readonly Dependent[]
  /** What only a failed revision made, that exists, and that helm has forgotten; absent when there is nothing. */
  readonly leftovers?: readonly Leftover[]
  /** Objects of its manifest that do not exist, e.g. `ConfigMap/api`; absent when there are none. */
  readonly missing?: readonly string[]
  /** Why it cannot be told more. */
  readonly unreadable?: string
  /** What to do about an operation that has not ended. */
  readonly advice?: string
}

export interface StatusReport {
  readonly environment: string
  readonly releases: readonly ReleaseStatus[]
  /** What cannot be seen, for people. */
  readonly notes: readonly string[]
}

/** Of an operation that failed, or has not ended, the objects may be healthy all the same. */
export function isWell({status, health}: ReleaseStatus): boolean {
  return status === 'deployed' && health?.state === 'healthy'
}
