import type {ReleaseId} from '../../release.ts'
import type {ApiClient} from '../api/client.ts'
import {TOMBSTONE} from '../intents/intent.ts'
import {allLeases, LEASE_SECONDS, type Lease, leaseName, RELEASE} from './lease.ts'
import {type OperationVerb, operationOn} from './operation.ts'

/** A release's Lease as it stands. */
export interface SeenLease {
  /** Of the Lease. */
  readonly name: string
  readonly release: ReleaseId
  readonly holder: string
  /** Milliseconds since the epoch, of the holder's clock. */
  readonly acquired: number
  readonly renewed: number
  /** When others may take it, if it is not renewed; the same clock. */
  readonly runsOut: number
  /** It says that the release is being removed: who would install what requires it waits. */
  readonly isRemoval: boolean
  /** What helm was last started for under it. */
  readonly operation: OperationVerb | undefined
}

/** All Leases of releases: one list. None where `kk-system` does not exist. */
export async function listLeases(client: ApiClient): Promise<readonly SeenLease[]> {
  const all = await allLeases(client)
  return all.flatMap((lease) => seenLease(lease) ?? [])
}

function seenLease(lease: Lease): SeenLease | undefined {
  const {
    metadata: {name, annotations = {}},
    spec = {},
  } = lease
  const release = annotations[RELEASE] as ReleaseId | undefined
  const {holderIdentity: holder, leaseDurationSeconds: seconds = LEASE_SECONDS} = spec
  if (release === undefined || name !== leaseName(release) || !holder) return undefined
  const renewed = Date.parse(spec.renewTime ?? '') || 0
  return {
    name,
    release,
    holder,
    acquired: Date.parse(spec.acquireTime ?? '') || renewed,
    renewed,
    runsOut: renewed + seconds * 1000,
    isRemoval: annotations[TOMBSTONE] !== undefined,
    operation: operationOn(lease)?.verb,
  }
}
