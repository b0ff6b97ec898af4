import type {ReleaseId} from '../../release.ts'

/** A note that somebody is about to install a dependent of a release, whose record does not exist yet. */
export interface Reservation {
  /** The name of the ConfigMap in `kk-system`. */
  readonly name: string
  readonly required: ReleaseId
  readonly dependent: ReleaseId
  /** The user, host, process and run that install. */
  readonly operator: string
  /**
   * The deadline, in milliseconds since the epoch. A reservation past it still counts, and is reported as such: only
   * its dependent's next run removes it.
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
 * The means by which a run that installs a dependent and one that removes what it requires see each other. The former
 * declares its reservation, then looks for a deletion marker; the latter sets the deletion marker on the Lease that it
 * holds, then looks for reservations. All reads are consistent, so at least one of them sees the other.
 */
export interface Reservations {
  declare(reservation: Omit<Reservation, 'name'>): Promise<void>
  /**
   * Removes all reservations of a dependent. Only for the holder of its Lease: reservations that others left there are
   * of dead runs.
   */
  withdraw(dependent: ReleaseId): Promise<void>
  /** Returns the reservations on a release, including those past their deadline. */
  on(required: ReleaseId): Promise<readonly Reservation[]>
  /** Returns the deletion marker; undefined if nobody removes the release. */
  deletionMarker(required: ReleaseId): Promise<DeletionMarker | undefined>
}
