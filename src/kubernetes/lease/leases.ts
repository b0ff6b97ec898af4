import type {ReleaseId} from '../../release.ts'
import type {Waiting} from './lease.ts'
import type {BegunOperation} from './operation.ts'
import type {LeaseView} from './view.ts'

export interface HeldLease {
  /** The former holder, and why the Lease could be taken from it; undefined if there was none. */
  takenFrom: string | undefined
  /** Aborted when the lease is lost; the reason is a `KK_LEASE_LOST`. */
  readonly lost: AbortSignal
  /** Throws `KK_LEASE_LOST` once it was not renewed for so long that others may take it, which a process that was stopped finds first. */
  expectHeld(): void
  /** Writes annotations to the Lease for others to read; `null` removes one. Throws `KK_LEASE_LOST`. */
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<void>
  /** Notes on the Lease what helm is about to be started for, and how long that may take. Throws `KK_HELD` if it is lost. */
  begin(operation: BegunOperation & {readonly milliseconds: number}): Promise<void>
  /** Notes helm's process on the Lease. */
  started(pid: number): Promise<void>
  /** Notes on the Lease that helm has ended, in case it has left its record unfinished. */
  ended(): Promise<void>
  /** Stops renewing the Lease and leaves it with its annotations until it has run out; `release` then does nothing. */
  leave(): Promise<void>
  release(): Promise<void>
}

/**
 * The Leases of `kk-system`: who works on a release, and who drives an environment. Every function throws as
 * `Cluster`'s do.
 */
export interface Leases {
  /**
   * Holds the release's Lease in `kk-system`. `holder` is shown to others; `deadline` is milliseconds since the epoch.
   * While somebody else holds it, `onHeld` is called with the holder; a holder whose process is gone from this machine
   * is not waited for. Throws `KK_HELD` with the holder if the Lease stays taken until the deadline, and the reason of `stop`.
   */
  hold(release: ReleaseId, holder: string, deadline: number, waiting?: Waiting): Promise<HeldLease>
  /** Returns the Lease of one release; undefined if nobody has it. */
  read(release: ReleaseId): Promise<LeaseView | undefined>
  /**
   * Returns the Leases of all releases that somebody holds, or held, with the state of their processes as this machine
   * sees it: one list.
   */
  list(): Promise<readonly LeaseView[]>
  /** Returns who drives an environment instead of the command line; undefined if nobody does. */
  driver(environment: string): Promise<string | undefined>
  /** Returns the time by the API server's clock, in milliseconds since the epoch. */
  now(): number
  /** Calls `ring` whenever a record of helm or a Lease of kk may have changed, until the signal; never throws. */
  onChange(signal: AbortSignal, ring: () => void): void
}
