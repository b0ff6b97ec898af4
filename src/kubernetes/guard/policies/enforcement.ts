import {pollUntil} from '../../../base/poll.ts'
import {type ReleaseId, releaseNamespace} from '../../../release.ts'
import type {ApiClient} from '../../api/client.ts'
import {listAll} from '../../api/list.ts'
import {CONFIG_MAPS, LEASES, NAMESPACES, requestText, resourcePath} from '../../api/resources.ts'
import {KK_NAMESPACE} from '../../lease/lease.ts'
import {EXPIRY_NAME, UNTIL_LABEL} from '../names.ts'
import {CLOCK} from './expiry.ts'
import {
  awaitVerdict,
  CLOCK_CONFIG_MAP,
  notVisible,
  PARAMETERS,
  POLL_INTERVAL_MS,
  type Target,
} from './probe.ts'

/** The time within which an API server must renew its Lease, which it does every 10 seconds. */
const RENEWAL_TIMEOUT_MS = 30_000

/**
 * Waits until the API server enforces the policies: with the parameters of this stamp, in the namespaces of
 * all releases, and with a clock that runs. Throws `KK_GUARD`.
 */
export async function awaitEnforcement(
  client: ApiClient,
  releases: readonly ReleaseId[],
  stamp: string,
): Promise<void> {
  await awaitVerdict(
    client,
    PARAMETERS,
    (verdict) => verdict.outcome === 'denied' && verdict.message.includes(stamp),
    () => notVisible('the parameters of the guard'),
  )
  for (const name of new Set(releases.map(releaseNamespace))) {
    await awaitDenial(client, {resource: NAMESPACES, namespace: '', name}, `that ${name} is guarded`)
  }
  await awaitClock(client, await nextTime(client))
}

/**
 * Waits until the policy that ends approvals sees this time, in seconds since the epoch. Defaults to the
 * newest. With a stopped clock, an approval would never end. Throws `KK_GUARD`.
 */
export async function awaitClock(client: ApiClient, time?: number): Promise<void> {
  await writeClockConfigMap(client, time ?? (await newestTime(client)))
  await awaitDenial(client, CLOCK_CONFIG_MAP, 'its own clock, which ends approvals')
}

/**
 * Returns the newest time after it has advanced: a clock that has only just stopped still shows the newest.
 */
async function nextTime(client: ApiClient): Promise<number> {
  const before = await newestTime(client)
  const later = async () => {
    const now = await newestTime(client)
    return now > before && now
  }
  const polling = {interval: POLL_INTERVAL_MS, deadline: Date.now() + RENEWAL_TIMEOUT_MS}
  const time = await pollUntil(later, polling)
  if (time === undefined) throw notVisible('a renewal of its own Lease in kube-system')
  return time
}

function awaitDenial(client: ApiClient, target: Target, what: string): Promise<void> {
  return awaitVerdict(
    client,
    target,
    ({outcome}) => outcome === 'denied',
    () => notVisible(what),
  )
}

/** Returns the newest renewal of any API server's Lease, in seconds since the epoch. */
async function newestTime(client: ApiClient): Promise<number> {
  const [[label, value] = []] = Object.entries(CLOCK.label)
  const {items} = await listAll<{spec: {renewTime?: string}}>(client, {
    path: resourcePath(LEASES, CLOCK.namespace),
    query: {labelSelector: `${label}=${value}`},
    summary: requestText('list', LEASES, CLOCK.namespace),
  })
  const times = items.map(({spec}) => Date.parse(spec.renewTime ?? ''))
  if (times.length === 0)
    throw notVisible('its own Lease in kube-system: the feature APIServerIdentity is off')
  return Math.floor(Math.max(...times) / 1000)
}

/**
 * Writes the ConfigMap that may be deleted until this time: its deletion is denied when the policy's clock
 * has reached it.
 */
async function writeClockConfigMap(client: ApiClient, until: number): Promise<void> {
  await client.json({
    method: 'PATCH',
    path: resourcePath(CONFIG_MAPS, KK_NAMESPACE, EXPIRY_NAME),
    query: {fieldManager: 'kk', force: 'true'},
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: EXPIRY_NAME, namespace: KK_NAMESPACE, labels: {[UNTIL_LABEL]: String(until)}},
    },
    summary: requestText('write', CONFIG_MAPS, KK_NAMESPACE, EXPIRY_NAME),
  })
}
