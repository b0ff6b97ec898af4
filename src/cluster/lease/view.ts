import {type ReleaseId, releaseId} from '../../release.ts'
import type {PlacedProcess} from '../../state/process-place.ts'
import type {ApiClient} from '../api/client.ts'
import {allLeases, type Lease, RELEASE, readLease} from './lease.ts'
import {holderOn, type Operation, operationOn} from './operation.ts'
import {type LeaseSighting, sightLease} from './sight.ts'

/** The Lease of a release, for others than its holder. */
export interface LeaseView {
  readonly release: ReleaseId
  /** As it is shown: user, host, process, run. */
  readonly holder: string | undefined
  readonly process: PlacedProcess | undefined
  /** ISO 8601, by the clock of the holder. */
  readonly acquiredAt: string | undefined
  readonly renewedAt: string | undefined
  /** What helm was last started for. It may be of an earlier holder. */
  readonly operation: Operation | undefined
  /** What this machine sees of their processes. */
  readonly sighting: LeaseSighting
}

/** The Lease of one release; undefined when nobody holds it. */
export async function viewLease(client: ApiClient, release: ReleaseId): Promise<LeaseView | undefined> {
  const lease = await readLease(client, release)
  return lease && (await viewOf(release, lease))
}

/** The Leases on which stands what helm was started for: there are as many as runs work on, and what dead runs have left. */
export async function viewOperations(client: ApiClient): Promise<readonly LeaseView[]> {
  const all = await allLeases(client)
  const named = all.flatMap((lease) => {
    const [namespace, name] = lease.metadata.annotations?.[RELEASE]?.split('/') ?? []
    return namespace && name && operationOn(lease) ? [{release: releaseId(namespace, name), lease}] : []
  })
  return Promise.all(named.map(({release, lease}) => viewOf(release, lease)))
}

async function viewOf(release: ReleaseId, lease: Lease): Promise<LeaseView> {
  return {
    release,
    holder: lease.spec?.holderIdentity || undefined,
    process: holderOn(lease),
    acquiredAt: lease.spec?.acquireTime,
    renewedAt: lease.spec?.renewTime,
    operation: operationOn(lease),
    sighting: await sightLease(release, lease),
  }
}
