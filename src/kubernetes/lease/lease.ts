import {createHash} from 'node:crypto'
import type * as coordination from 'kubernetes-types/coordination/v1.js'
import type {ReleaseId} from '../../release.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {LEASES, NAMESPACES, readObject, requestText, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {DELETION_MARKER} from '../reservations/reservation.ts'

/** The namespace of kk's objects that belong to no release. */
export const KK_NAMESPACE = 'kk-system'
export const LEASE_SECONDS = 60
/** The timeout of a renewal, which is retried until the Lease expires. */
const RESPONSE_TIMEOUT_MS = 10_000
/** The annotation with the release: the Lease's name is a hash. */
export const RELEASE = 'kk.openstack.org/release'

export type Lease = Served<coordination.Lease>

/** Options for waiting for a Lease. */
export interface Waiting {
  /** Called once for each holder that kk waits for. */
  readonly onHeld?: (by: string) => void
  /** Aborts the wait. */
  readonly stop?: AbortSignal
}

/** Returns `kk-` and 40 hex digits of the release's hash: names of objects are short and have no slash. */
export function leaseName(release: ReleaseId): string {
  return `kk-${createHash('sha256').update(release).digest('hex').slice(0, 40)}`
}

/**
 * Returns the Lease as its holder writes it at `now`. Its annotations are kept, except another holder's
 * deletion marker, whose removal is over.
 */
export function heldLease(release: ReleaseId, holder: string, before: Lease | undefined, now: Date): Lease {
  const isMine = before?.spec?.holderIdentity === holder
  const {[DELETION_MARKER]: deletionMarker, ...rest} = before?.metadata.annotations ?? {}
  const remaining =
    isMine && deletionMarker !== undefined ? {...rest, [DELETION_MARKER]: deletionMarker} : rest
  const transitions = before?.spec?.leaseTransitions ?? 0
  const time = now.toISOString().replace('Z', '000Z')
  return {
    ...before,
    metadata: {
      ...before?.metadata,
      name: leaseName(release),
      annotations: {...remaining, [RELEASE]: release},
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

/** Returns the Lease without a holder; its annotations are kept. */
export function releasedLease({spec: {leaseTransitions = 0} = {}, ...lease}: Lease): Lease {
  return {...lease, spec: {leaseTransitions}}
}

/** Returns the Lease with these annotations changed; `null` removes one. */
export function annotated(lease: Lease, annotations: Readonly<Record<string, string | null>>): Lease {
  const entries = Object.entries({...lease.metadata.annotations, ...annotations})
  const remaining = entries.filter((entry): entry is [string, string] => entry[1] !== null)
  return {...lease, metadata: {...lease.metadata, annotations: Object.fromEntries(remaining)}}
}

export function readLease(client: ApiClient, release: ReleaseId): Promise<Lease | undefined> {
  return readObject<Lease>(client, LEASES, {namespace: KK_NAMESPACE, name: leaseName(release)})
}

/** Returns all Leases of kk, in one list; empty if `kk-system` does not exist. */
export async function allLeases(client: ApiClient): Promise<readonly Lease[]> {
  const {items} = await listAll<Lease>(client, {
    path: resourcePath(LEASES, KK_NAMESPACE),
    summary: requestText('list', LEASES, KK_NAMESPACE),
  })
  return items
}

/**
 * Creates the Lease, or replaces the version that was read; returns undefined if another process wrote it
 * first.
 */
export async function writeLease(client: ApiClient, lease: Lease): Promise<Lease | undefined> {
  const isNew = lease.metadata.resourceVersion === undefined
  const {name} = lease.metadata
  const send = () =>
    client.json<Lease>({
      method: isNew ? 'POST' : 'PUT',
      path: resourcePath(LEASES, KK_NAMESPACE, isNew ? undefined : name),
      body: {apiVersion: LEASES.apiVersion, kind: LEASES.kind, ...lease},
      summary: requestText(isNew ? 'create' : 'update', LEASES, KK_NAMESPACE, name),
      // A repeated write is refused: the Lease then has a newer version, with this process as its holder.
      repeatable: true,
      timeout: RESPONSE_TIMEOUT_MS,
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

/** Deletes the Lease unless it has changed since. */
export async function deleteLease(client: ApiClient, lease: Lease): Promise<void> {
  const {name, uid, resourceVersion} = lease.metadata
  await client.json({
    method: 'DELETE',
    path: resourcePath(LEASES, KK_NAMESPACE, name),
    body: {apiVersion: 'v1', kind: 'DeleteOptions', preconditions: {uid, resourceVersion}},
    summary: requestText('delete', LEASES, KK_NAMESPACE, name),
    repeatable: true,
  })
}

/** Creates a namespace, by default `kk-system`, unless it exists. */
export async function createNamespace(client: ApiClient, name = KK_NAMESPACE): Promise<void> {
  try {
    await client.json({
      method: 'POST',
      path: resourcePath(NAMESPACES, ''),
      body: {apiVersion: 'v1', kind: 'Namespace', metadata: {name}},
      summary: requestText('create', NAMESPACES, '', name),
      repeatable: true,
    })
  } catch (error) {
    if (!isApiError(error, 409)) throw error
  }
}
