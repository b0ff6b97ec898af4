import type {Leftover} from '../../doctor/leftovers/leftovers.ts'
import {type Health, passes} from '../../kubernetes/gate/health.ts'
import type {Gate} from '../../plan/labels.ts'
import type {ReleaseId} from '../../release.ts'
import type {LastTest} from './last-test.ts'

/** A release that requires another, directly or not. */
interface Dependent {
  readonly release: ReleaseId
  /** Its owner; undefined if it is not on the cluster yet, or kk did not install it. */
  readonly environment: string | undefined
  /** Set if kk did not install it, so that its requirements are known only from its chart. */
  readonly isForeign?: true
}

/** The current holder of a release's Lease. */
export interface ReleaseHolder {
  /** The user, host, process and run, and the helm process if it outlived them. */
  readonly holder: string
  /** The time since when it is held, ISO 8601 by the holder's clock; undefined if the Lease has none. */
  readonly since: string | undefined
  /** The operation; undefined if the Lease has none. */
  readonly operation: string | undefined
  /**
   * The reason why the holder is dead, so that the next run takes the Lease over; absent while it may be
   * alive.
   */
  readonly stale?: string
}

/** The state of one release on the cluster. */
export interface ReleaseStatus {
  readonly release: ReleaseId
  readonly chart: string
  readonly version: string
  /** 0 if it is not installed. */
  readonly revision: number
  readonly status: string
  /** Whether the deployed inputs are those that a deploy would use. */
  readonly inputs: 'current' | 'changed' | 'unknown'
  /**
   * Whether it is part of the file; false for a release that the environment owns, but its file no longer
   * has.
   */
  readonly wanted: boolean
  /**
   * Undefined if it is not installed or its record is unreadable; `waiting` while its gate has not passed.
   */
  readonly health: Health | undefined
  /** The gate of its last revision, as in `kk history`; undefined if it is not installed. */
  readonly gate: Gate | undefined
  readonly owner: string | undefined
  readonly holder?: ReleaseHolder
  /** The tool to which it was handed over: kk does not manage it. */
  readonly exportedTo?: string
  /**
   * The maker of its last revision, if not kk: `HelmRelease flux-system/keystone` of Flux, from labels of its
   * objects, or `another helm`. For releases that kk did not install, only Flux is detected.
   */
  readonly madeBy?: string
  /** The last run of its own tests; absent if it has none. */
  readonly lastTest?: LastTest
  readonly requires: readonly string[]
  /** The dependents, including those in other environments. */
  readonly dependents: readonly Dependent[]
  /**
   * Existing objects that only a failed revision made and helm no longer tracks; absent if there are none.
   */
  readonly leftovers?: readonly Leftover[]
  /** Objects of its manifest that do not exist, e.g. `ConfigMap/api`; absent when there are none. */
  readonly missing?: readonly string[]
  /** The reason why nothing else is known. */
  readonly unreadable?: string
  /** The advice for an unfinished operation. */
  readonly advice?: string
}

export interface StatusReport {
  readonly environment: string
  readonly releases: readonly ReleaseStatus[]
  /** The last run of the tests that use the whole cloud; absent if no release has such tests. */
  readonly lastTest?: LastTest
  /** Notes on data that could not be read. */
  readonly notes: readonly string[]
}

/**
 * Returns true if the release is deployed and its gate would pass; objects can be healthy after a failed
 * operation.
 */
export function isPassing({status, health}: ReleaseStatus): boolean {
  return status === 'deployed' && health !== undefined && passes(health)
}
