import {setTimeout as wait} from 'node:timers/promises'
import type {ApiClient, ApiRequest} from '../api/client.ts'
import {METADATA} from '../api/list.ts'
import {LEASES, resourcePath} from '../api/resources.ts'
import {HELM_RECORD_SELECTOR} from '../records/record.ts'
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
    onChange: (signal, notify) => notifyOnChange(client, signal, notify),
  }
}

const WATCH_SECONDS = 300
const RETRY_DELAY_MS = 5_000

const WATCH_REQUESTS: readonly ApiRequest[] = [
  {
    path: '/api/v1/secrets',
    query: {...HELM_RECORD_SELECTOR, labelSelector: 'owner=helm'},
    summary: 'watch secrets in all namespaces',
  },
  {path: resourcePath(LEASES, KK_NAMESPACE), summary: `watch leases in namespace ${KK_NAMESPACE}`},
]

/**
 * Calls `notify` when a record of helm or a Lease of kk changes, by watches of their metadata. It has no
 * arguments: the caller reads the state again. Watches that are forbidden or fail are retried, without a
 * notification.
 */
function notifyOnChange(client: ApiClient, signal: AbortSignal, notify: () => void): void {
  for (const watched of WATCH_REQUESTS) void follow(client, watched, signal, notify)
}

async function follow(
  client: ApiClient,
  request: ApiRequest,
  signal: AbortSignal,
  notify: () => void,
): Promise<void> {
  const query = {...request.query, watch: 'true', timeoutSeconds: WATCH_SECONDS}
  while (!signal.aborted) {
    try {
      for await (const _ of await client.lines({...request, query, accept: METADATA, signal})) notify()
    } catch {
      await wait(RETRY_DELAY_MS, undefined, {signal}).catch(() => undefined)
    }
  }
}
