import {createHash} from 'node:crypto'
import type * as coordination from 'kubernetes-types/coordination/v1.js'
import type {ReleaseId} from '../../release.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, LEASES, NAMESPACES, readObject, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {DELETION_MARKER} from '../reservations/reservation.ts'

/** Where kk keeps what belongs to no release. */
export const KK_NAMESPACE = 'kk-system'
export const LEASE_SECONDS = 60
/** A renewal that gets no answer is tried again while there is time. */
const ANSWER_TIMEOUT = 10_000
/** The annotation that names the release: the Lease's own name is a hash. */
export const RELEASE = 'kk.openstack.org/release'

export type Lease = Served<coordination.Lease>

/** How a Lease is waited for. */
export interface Waiting {
  /** Told once of each holder who has to be waited for. */
  readonly onHeld?: (by: string) => void
  /** Ends it. */
  readonly stop?: AbortSignal
}

/** `kk-` and 40 hex digits of the release's hash: names of objects are short and know no slash. */
export function leaseName(release: ReleaseId): string {
  return `kk-${createHash('sha256').update(release).digest('hex').slice(0, 40)}`
}

/** The Lease as its holder writes it at `now`. What stands on it stays, but another's deletion marker: its removal is over. */
export function heldLease(release: ReleaseId, holder: string, before: Lease | undefined, now: Date): Lease {
  const isMine = before?.spec?.holderIdentity === holder
  const {[DELETION_MARKER]: deletionMarker, ...others} = before?.metadata.annotations ?? {}
  const kept =
    isMine && deletionMarker !== undefined ? {...others, [DELETION_MARKER]: deletionMarker} : others
  const transitions = before?.spec?.leaseTransitions ?? 0
  const time = now.toISOString().replace('Z', '000Z')
  return {
    ...before,
    metadata: {
      ...before?.metadata,
      name: leaseName(release),
      annotations: {...kept, [RELEASE]: release},
    },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: LEASE_SECONDS,
      acquireTime: isMine ? (before?.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: before && !isMine ? transitions + 1 : transitions,
    },
  }
}

/** The Lease as nobody holds it; what stands on it stays. */
export function freeLease({spec: {leaseTransitions = 0} = {}, ...lease}: Lease): Lease {
  return {...lease, spec: {leaseTransitions}}
}

/** The Lease with these annotations changed; `null` takes one away. */
export function annotated(lease: Lease, annotations: Readonly<Record<string, string | null>>): Lease {
  const entries = Object.entries({...lease.metadata.annotations, ...annotations})
  const kept = entries.filter((entry): entry is [string, string] => entry[1] !== null)
  return {...lease, metadata: {...lease.metadata, annotations: Object.fromEntries(kept)}}
}

export function readLease(client: ApiClient, release: ReleaseId): Promise<Lease | undefined> {
  return readObject<Lease>(client, LEASES, {namespace: KK_NAMESPACE, name: leaseName(release)})
}

/** All Leases of kk, in one list; none where `kk-system` does not exist. */
export async function allLeases(client: ApiClient): Promise<readonly Lease[]> {
  const {items} = await listAll<Lease>(client, {
    path: resourcePath(LEASES, KK_NAMESPACE),
    asked: asking('list', LEASES, KK_NAMESPACE),
  })
  return items
}

/** Creates the Lease, or replaces the one that was read; undefined when somebody else was faster. */
export async function writeLease(client: ApiClient, lease: Lease): Promise<Lease | undefined> {
  const isNew = lease.metadata.resourceVersion === undefined
  const {name} = lease.metadata
  const send = () =>
    client.json<Lease>({
      method: isNew ? 'POST' : 'PUT',
      path: resourcePath(LEASES, KK_NAMESPACE, isNew ? undefined : name),
      body: {apiVersion: LEASES.apiVersion, kind: LEASES.kind, ...lease},
      asked: asking(isNew ? 'create' : 'update', LEASES, KK_NAMESPACE, name),
      // What was done is refused the second time: the Lease has another version then, and is found to be ours.
      repeatable: true,
      timeout: ANSWER_TIMEOUT,
    })
  try {
    return await send().catch(async (error: unknown) => {
      if (!isNew || !isApiError(error, 404)) throw error
      await createNamespace(client)
      return await send()
    })
  } catch (error) {
    if (isApiError(error, 404, 409)) return undefined
    throw error
  }
}

/** Takes the Lease away unless it has changed since. */
export async function deleteLease(client: ApiClient, lease: Lease): Promise<void> {
  const {name, uid, resourceVersion} = lease.metadata
  await client.json({
    method: 'DELETE',
    path: resourcePath(LEASES, KK_NAMESPACE, name),
    body: {apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid, resourceVersion}},
    asked: asking('delete', LEASES, KK_NAMESPACE, name),
    repeatable: true,
  })
}

/** Makes a namespace, by default `kk-system`, unless it exists. */
export async function createNamespace(client: ApiClient, name = KK_NAMESPACE): Promise<void> {
  try {
    await client.json({
      method: 'POST',
      path: resourcePath(NAMESPACES, ''),
      body: {apiVersion: 'v1', kind: 'Namespace', metadata: {name}},
      asked: asking('create', NAMESPACES, '', name),
      repeatable: true,
    })
  } catch (error) {
    if (!isApiError(error, 409)) throw error
  }
}
