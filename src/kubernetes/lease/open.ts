import {setTimeout as wait} from 'node:timers/promises'
import type {ApiClient, ApiRequest} from '../api/client.ts'
import {METADATA} from '../api/list.ts'
import {LEASES, resourcePath} from '../api/resources.ts'
import {OF_HELM} from '../records/record.ts'
import {readDriver} from './driver.ts'
import {holdLease} from './hold.ts'
import {KK_NAMESPACE} from './lease.ts'
import type {Leases} from './leases.ts'
import {viewLease, viewLeases} from './view.ts'

export function openLeases(client: ApiClient): Leases {
  return {
    hold: (release, holder, deadline, waiting) => holdLease(client, {release, holder, deadline, ...waiting}),
    read: (release) => viewLease(client, release),
    list: () => viewLeases(client),
    driver: (environment) => readDriver(client, environment),
    now: client.now,
    onChange: (signal, ring) => ringOnChange(client, signal, ring),
  }
}

const WATCH_SECONDS = 300
const PAUSE = 5_000

const WATCHED: readonly ApiRequest[] = [
  {
    path: '/api/v1/secrets',
    query: {...OF_HELM, labelSelector: 'owner=helm'},
    asked: 'watch secrets in all namespaces',
  },
  {path: resourcePath(LEASES, KK_NAMESPACE), asked: `watch leases in namespace ${KK_NAMESPACE}`},
]

/**
 * Calls `ring` when a record of helm or a Lease of kk changes, by watches of their metadata. It does not tell what
 * happened: the caller looks again. Objects that may not be watched, or whose API server does not answer, do not ring,
 * and are tried again.
 */
function ringOnChange(client: ApiClient, signal: AbortSignal, ring: () => void): void {
  for (const watched of WATCHED) void follow(client, watched, signal, ring)
}

async function follow(
  client: ApiClient,
  request: ApiRequest,
  signal: AbortSignal,
  ring: () => void,
): Promise<void> {
  const query = {...request.query, watch: 'true', timeoutSeconds: WATCH_SECONDS}
  while (!signal.aborted) {
    try {
      for await (const _ of await client.lines({...request, query, accept: METADATA, signal})) ring()
    } catch {
      await wait(PAUSE, undefined, {signal}).catch(() => undefined)
    }
  }
}
