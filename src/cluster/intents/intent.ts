import type {ReleaseId} from '../../release.ts'

/** Somebody is about to install what requires a release: its record, which says so, does not exist yet. */
export interface Intent {
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
interface Tombstone {
  /** Who removes it. */
  readonly holder: string
}

/** The annotation of a Lease that says its holder removes the release. */
export const TOMBSTONE = 'kk.openstack.org/removing'

/**
 * How those who install a dependent and those who remove what it requires see each other. The one declares its intent,
 * then looks for a tombstone; the other sets the tombstone on the Lease that it holds, then looks for intents. All reads
 * are consistent, so at least one of them sees the other.
 */
export interface Intents {
  declare(intent: Omit<Intent, 'name'>): Promise<void>
  /** Takes away all intents of a dependent. Only for who holds its Lease: what others left there is of runs that are dead. */
  withdraw(dependent: ReleaseId): Promise<void>
  /** The intents on a release, those that have passed their deadline included. */
  on(required: ReleaseId): Promise<readonly Intent[]>
  /** Undefined when nobody removes the release. */
  tombstone(required: ReleaseId): Promise<Tombstone | undefined>
}
