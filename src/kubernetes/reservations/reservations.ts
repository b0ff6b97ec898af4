import {createHash, randomUUID} from 'node:crypto'
import type {ConfigMap} from 'kubernetes-types/core/v1.js'
import type {ReleaseId} from '../../release.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {CONFIG_MAPS, requestText, resourcePath} from '../api/resources.ts'
import type {Served} from '../api/served.ts'
import {createNamespace, KK_NAMESPACE, readLease} from '../lease/lease.ts'
import {DELETION_MARKER, type Reservation, type Reservations} from './reservation.ts'

const REQUIRED_LABEL = 'kk.openstack.org/intent-on'
const DEPENDENT_LABEL = 'kk.openstack.org/intent-of'
const COLLECTION = resourcePath(CONFIG_MAPS, KK_NAMESPACE)

/** Returns reservations stored as ConfigMaps in `kk-system`, and deletion markers on the Leases there. */
export function useReservations(client: ApiClient): Reservations {
  return {
    declare: (reservation) => create(client, reservation),
    async withdraw(dependent) {
      const mine = await list(client, DEPENDENT_LABEL, dependent)
      for (const {metadata} of mine) await remove(client, metadata.name)
    },
    async on(required) {
      const configMaps = await list(client, REQUIRED_LABEL, required)
      return configMaps.map((configMap) => reservationIn(configMap, required))
    },
    async deletionMarker(required) {
      const lease = await readLease(client, required)
      const isSet = lease?.metadata.annotations?.[DELETION_MARKER] !== undefined
      return isSet ? {holder: lease?.spec?.holderIdentity ?? 'an unknown holder'} : undefined
    },
  }
}

async function create(client: ApiClient, reservation: Omit<Reservation, 'name'>): Promise<void> {
  const {required, dependent, operator, deadline} = reservation
  const name = `kk-intent-${hash(required)}-${randomUUID()}`
  const labels = {[REQUIRED_LABEL]: hash(required), [DEPENDENT_LABEL]: hash(dependent)}
  const post = () =>
    client.json({
      method: 'POST',
      path: COLLECTION,
      body: {
        apiVersion: CONFIG_MAPS.apiVersion,
        kind: CONFIG_MAPS.kind,
        metadata: {name, labels},
        data: {required, dependent, operator, deadline: new Date(deadline).toISOString()},
      },
      summary: requestText('create', CONFIG_MAPS, KK_NAMESPACE),
      repeatable: true,
    })
  try {
    await post().catch(async (error: unknown) => {
      if (!isApiError(error, 404)) throw error
      await createNamespace(client)
      await post()
    })
  } catch (error) {
    // No other client uses that name, so only the first response was lost.
    if (!isApiError(error, 409)) throw error
  }
}

/** Returns all reservations on the cluster. */
export async function listReservations(client: ApiClient): Promise<readonly Reservation[]> {
  const {items} = await listAll<Served<ConfigMap>>(client, {
    path: COLLECTION,
    query: {labelSelector: REQUIRED_LABEL},
    summary: requestText('list', CONFIG_MAPS, KK_NAMESPACE),
  })
  return items.map((configMap) =>
    reservationIn(configMap, (configMap.data?.required ?? 'unknown/unknown') as ReleaseId),
  )
}

/**
 * Returns the ConfigMaps with a label. The list has no resourceVersion, so the API server returns the present
 * state.
 */
async function list(
  client: ApiClient,
  label: string,
  release: ReleaseId,
): Promise<readonly Served<ConfigMap>[]> {
  const {items} = await listAll<Served<ConfigMap>>(client, {
    path: COLLECTION,
    query: {labelSelector: `${label}=${hash(release)}`},
    summary: requestText('list', CONFIG_MAPS, KK_NAMESPACE),
  })
  return items
}

async function remove(client: ApiClient, name: string): Promise<void> {
  try {
    await client.json({
      method: 'DELETE',
      path: resourcePath(CONFIG_MAPS, KK_NAMESPACE, name),
      summary: requestText('delete', CONFIG_MAPS, KK_NAMESPACE, name),
      repeatable: true,
    })
  } catch (error) {
    if (!isApiError(error, 404)) throw error
  }
}

/** Returns the reservation in a ConfigMap; one that was edited still counts. */
function reservationIn({metadata: {name}, data = {}}: Served<ConfigMap>, required: ReleaseId): Reservation {
  return {
    name,
    required,
    dependent: (data.dependent ?? 'unknown/unknown') as ReleaseId,
    operator: data.operator ?? 'an unknown holder',
    deadline: Date.parse(data.deadline ?? '') || 0,
  }
}

function hash(release: ReleaseId): string {
  return createHash('sha256').update(release).digest('hex').slice(0, 40)
}
