import type {ReleaseId} from '../../release.ts'

/** Somebody is about to install what requires a release: its record, which says so, does not exist yet. */
export interface Reservation {
  /** Of the ConfigMap in `kk-system`. */
  readonly name: string
  readonly required: ReleaseId
  readonly dependent: ReleaseId
  /** Who installs: user, host, process, run. */
  readonly operator: string
  /** Milliseconds since the epoch. What has passed it is told so, but counts: only its dependent's next run takes it away. */
  readonly deadline: number
}

/** What stands on the Lease of a release that is being removed. */
interface DeletionMarker {
  /** Who removes it. */
  readonly holder: string
}

/** The annotation of a Lease that says its holder removes the release. */
export const DELETION_MARKER = 'kk.openstack.org/removing'

/**
 * How those who install a dependent and those who remove what it requires see each other. The one declares its reservation,
 * then looks for a deletion marker; the other sets the deletion marker on the Lease that it holds, then looks for reservations. All reads
 * are consistent, so at least one of them sees the other.
 */
export interface Reservations {
  declare(reservation: Omit<Reservation, 'name'>): Promise<void>
  /** Takes away all reservations of a dependent. Only for who holds its Lease: what others left there is of runs that are dead. */
  withdraw(dependent: ReleaseId): Promise<void>
  /** The reservations on a release, those that have passed their deadline included. */
  on(required: ReleaseId): Promise<readonly Reservation[]>
  /** Undefined when nobody removes the release. */
  deletionMarker(required: ReleaseId): Promise<DeletionMarker | undefined>
}
