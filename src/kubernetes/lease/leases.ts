import type {ReleaseId} from '../../release.ts'
import type {Waiting} from './lease.ts'
import type {StartedOperation} from './operation.ts'
import type {LeaseView} from './view.ts'

export interface HeldLease {
  /** The former holder, and why the Lease could be taken from it; undefined if there was none. */
  takenFrom: string | undefined
  /** Aborted when the Lease is lost; the reason is a `KK_LEASE_LOST`. */
  readonly lost: AbortSignal
  /**
   * Throws `KK_LEASE_LOST` after the renewal deadline, also when the timers of a process that was stopped
   * have not fired yet.
   */
  expectHeld(): void
  /** Writes annotations to the Lease for others to read; `null` removes one. Throws `KK_LEASE_LOST`. */
  annotate(annotations: Readonly<Record<string, string | null>>): Promise<void>
  /** Annotates the Lease with helm's next operation, and its timeout. Throws `KK_LEASE_LOST`. */
  begin(operation: StartedOperation & {readonly milliseconds: number}): Promise<void>
  /** Annotates the Lease with helm's process. */
  started(pid: number): Promise<void>
  /** Annotates the Lease with the end of helm, in case its record is unfinished. */
  ended(): Promise<void>
  /**
   * Stops the renewal and leaves the Lease with its annotations until it expires; `release` then does
   * nothing.
   */
  leave(): Promise<void>
  release(): Promise<void>
}

/**
 * The Leases of `kk-system`: which run works on a release, and what manages an environment. Every function
 * throws like those of `Cluster`.
 */
export interface Leases {
  /**
   * Holds the release's Lease in `kk-system`. `holder` is shown to other users; `deadline` is in milliseconds
   * since the epoch. While another process holds it, `onHeld` is called with the holder; kk does not wait for
   * a holder whose process is gone from this machine. Throws `KK_HELD` with the holder if the Lease is still
   * held at the deadline, and the reason of `stop`.
   */
  hold(release: ReleaseId, holder: string, deadline: number, waiting?: Waiting): Promise<HeldLease>
  /** Returns the Lease of one release; undefined if there is none. */
  read(release: ReleaseId): Promise<LeaseView | undefined>
  /**
   * Returns the Leases of all releases, also expired or released ones, with the state of their processes as
   * far as this machine can see: one list.
   */
  list(): Promise<readonly LeaseView[]>
  /** Returns the manager of an environment; undefined if the command line manages it. */
  driver(environment: string): Promise<string | undefined>
  /** Returns the time by the API server's clock, in milliseconds since the epoch. */
  now(): number
  /** Calls `ring` when a record of helm or a Lease of kk may have changed, until the signal; never throws. */
  onChange(signal: AbortSignal, notify: () => void): void
}
