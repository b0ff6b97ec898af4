import type {Leftover} from '../../doctor/leftovers/leftovers.ts'
import {type Health, passes} from '../../kubernetes/gate/health.ts'
import type {Gate} from '../../plan/labels.ts'
import type {ReleaseId} from '../../release.ts'

/** A release that requires another, directly or not. */
interface Dependent {
  readonly release: ReleaseId
  /** Its owner; undefined when it is not on the cluster yet, or kk did not install it. */
  readonly environment: string | undefined
  /** Whether kk did not install it, so that its chart alone tells what it requires. */
  readonly isForeign?: true
}

/** The holder of a release's Lease, who works on it now. */
export interface ReleaseHolder {
  /** The user, host, process and run, and the helm if it has outlived them. */
  readonly holder: string
  /** The time since when it is held, ISO 8601 by the holder's clock; undefined if the Lease does not tell. */
  readonly since: string | undefined
  /** The operation; undefined if the Lease does not tell. */
  readonly operation: string | undefined
  /** The reason why the holder is dead, so that the next run takes the Lease over; absent while it may live. */
  readonly stale?: string
}

/** The state of one release on the cluster. */
export interface ReleaseStatus {
  readonly release: ReleaseId
  readonly chart: string
  readonly version: string
  /** 0 when it is not installed. */
  readonly revision: number
  readonly status: string
  /** Whether the deployed inputs are those that a deploy would find. */
  readonly inputs: 'current' | 'changed' | 'unknown'
  /** Whether the file names it; false for a release that the environment owns, but its file no longer names. */
  readonly wanted: boolean
  /** Undefined where it is not installed or its record unreadable; without a passed gate it waits for that. */
  readonly health: Health | undefined
  /** What `kk history` says of its last revision; undefined when it is not installed. */
  readonly gate: Gate | undefined
  readonly owner: string | undefined
  readonly holder?: ReleaseHolder
  /** The tool to which it was handed over: kk does not change it. */
  readonly exportedTo?: string
  /**
   * Who made its last revision, where that was not kk: `HelmRelease flux-system/keystone` of Flux, as its objects say, or
   * `another helm`. Of a release that kk did not install, Flux alone is known.
   */
  readonly madeBy?: string
  readonly requires: readonly string[]
  /** The dependents, including those in other environments. */
  readonly dependents: readonly Dependent[]
  /** Objects that only a failed revision made, that exist, and that helm has forgotten; absent if there are none. */
  readonly leftovers?: readonly Leftover[]
  /** Objects of its manifest that do not exist, e.g. `ConfigMap/api`; absent when there are none. */
  readonly missing?: readonly string[]
  /** The reason why nothing more can be told. */
  readonly unreadable?: string
  /** The advice on an operation that has not ended. */
  readonly advice?: string
}

export interface StatusReport {
  readonly environment: string
  readonly releases: readonly ReleaseStatus[]
  /** Notes on what could not be seen. */
  readonly notes: readonly string[]
}

/** Whether the release is deployed and its gate would pass: objects may be healthy though an operation failed. */
export function isWell({status, health}: ReleaseStatus): boolean {
  return status === 'deployed' && health !== undefined && passes(health)
}
