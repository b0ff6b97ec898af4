import {setTimeout as wait} from 'node:timers/promises'
import type {ApiClient, ApiRequest} from '../api/client.ts'
import {METADATA} from '../api/list.ts'
import {LEASES, resourcePath} from '../api/resources.ts'
import {KK_NAMESPACE} from '../lease/lease.ts'

const WATCH_SECONDS = 300
const PAUSE = 5_000

const WATCHED: readonly ApiRequest[] = [
  {
    path: '/api/v1/secrets',
    query: {fieldSelector: 'type=helm.sh/release.v1', labelSelector: 'owner=helm'},
    asked: 'watch secrets in all namespaces',
  },
  {path: resourcePath(LEASES, KK_NAMESPACE), asked: `watch leases in namespace ${KK_NAMESPACE}`},
]

/**
 * Rings when a record of helm or a Lease of kk changes, by watches of their metadata. What happened is not told: who
 * hears it looks again. What may not be watched, or is out of sight, does not ring, and is tried again.
 */
export function ringOnChange(client: ApiClient, signal: AbortSignal, ring: () => void): void {
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
