import type {ReleaseId} from '../../release.ts'
import type {PlacedProcess} from '../../state/processes/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import {TOMBSTONE} from '../intents/intent.ts'
import {allLeases, LEASE_SECONDS, type Lease, leaseName, RELEASE, readLease} from './lease.ts'
import {holderOn, type Operation, operationOn} from './operation.ts'
import {type LeaseSighting, sightLease} from './sight.ts'

/** The Lease of a release, for others than its holder. */
export interface LeaseView {
  readonly release: ReleaseId
  /** As it is shown: user, host, process, run. Undefined when it was given back, and tells of what was done under it. */
  readonly holder: string | undefined
  readonly process: PlacedProcess | undefined
  /** ISO 8601, by the clock of the holder. */
  readonly acquiredAt: string | undefined
  readonly renewedAt: string | undefined
  /** When others may take it, if it is not renewed: milliseconds since the epoch, by the same clock. */
  readonly runsOut: number | undefined
  /** It says that the release is being removed: who would install what requires it waits. */
  readonly isRemoval: boolean
  /** What helm was last started for. It may be of an earlier holder. */
  readonly operation: Operation | undefined
  /** What this machine sees of their processes. */
  readonly sighting: LeaseSighting
}

/** The Lease of one release; undefined when there is none. */
export async function viewLease(client: ApiClient, release: ReleaseId): Promise<LeaseView | undefined> {
  const lease = await readLease(client, release)
  return lease && (await viewOf(release, lease))
}

/** All Leases of releases: one list. There are as many as runs work on, and what dead runs have left. */
export async function viewLeases(client: ApiClient): Promise<readonly LeaseView[]> {
  const all = await allLeases(client)
  const named = all.flatMap((lease) => {
    const release = lease.metadata.annotations?.[RELEASE] as ReleaseId | undefined
    return release !== undefined && lease.metadata.name === leaseName(release) ? [{release, lease}] : []
  })
  return Promise.all(named.map(({release, lease}) => viewOf(release, lease)))
}

/** A Lease with what this machine sees of who is behind it. */
export async function viewOf(release: ReleaseId, lease: Lease): Promise<LeaseView> {
  const {holderIdentity, acquireTime, renewTime, leaseDurationSeconds = LEASE_SECONDS} = lease.spec ?? {}
  const renewed = Date.parse(renewTime ?? '')
  return {
    release,
    holder: holderIdentity || undefined,
    process: holderOn(lease),
    acquiredAt: acquireTime,
    renewedAt: renewTime,
    runsOut: Number.isNaN(renewed) ? undefined : renewed + leaseDurationSeconds * 1000,
    isRemoval: lease.metadata.annotations?.[TOMBSTONE] !== undefined,
    operation: operationOn(lease),
    sighting: await sightLease(release, lease),
  }
}
