import type {ReleaseId} from '../../release.ts'

/** A note that a run is about to install a dependent of a release, whose record does not exist yet. */
export interface Reservation {
  /** The name of the ConfigMap in `kk-system`. */
  readonly name: string
  readonly required: ReleaseId
  readonly dependent: ReleaseId
  /** The user, host, process and run that install. */
  readonly operator: string
  /**
   * The deadline, in milliseconds since the epoch. An expired reservation still counts, and is reported as
   * such: only its dependent's next run removes it.
   */
  readonly deadline: number
}

/** The marker on the Lease of a release that is being removed. */
interface DeletionMarker {
  /** The holder that removes it. */
  readonly holder: string
}

/** The annotation of a Lease whose holder removes the release. */
export const DELETION_MARKER = 'kk.openstack.org/removing'

/**
 * How a run that installs a dependent and a run that removes its requirement detect each other. The
 * installing run declares its reservation, then reads the deletion marker; the removing run sets the deletion
 * marker on the Lease that it holds, then reads the reservations. All reads are consistent, so at least one
 * run detects the other.
 */
export interface Reservations {
  declare(reservation: Omit<Reservation, 'name'>): Promise<void>
  /**
   * Removes all reservations of a dependent. Only for the holder of its Lease: reservations of other runs
   * were left by killed runs.
   */
  withdraw(dependent: ReleaseId): Promise<void>
  /** Returns the reservations on a release, including expired ones. */
  on(required: ReleaseId): Promise<readonly Reservation[]>
  /** Returns the deletion marker; undefined if no run removes the release. */
  deletionMarker(required: ReleaseId): Promise<DeletionMarker | undefined>
}
