import {pollUntil} from '../../../base/poll.ts'
import {type ReleaseId, releaseNamespace} from '../../../release.ts'
import type {ApiClient} from '../../api/client.ts'
import {listAll} from '../../api/list.ts'
import {asking, CONFIG_MAPS, LEASES, NAMESPACES, resourcePath} from '../../api/resources.ts'
import {KK_NAMESPACE} from '../../lease/lease.ts'
import {EXPIRY_NAME, UNTIL_LABEL} from '../names.ts'
import {CLOCK} from './expiry.ts'
import {awaitVerdict, blind, CLOCK_FACE, PARAMETERS, PAUSE_MILLISECONDS, type Target} from './probe.ts'

/** The time within which an API server must have renewed its Lease, which it does every 10 seconds. */
const RENEWAL_MILLISECONDS = 30_000

/**
 * Waits until the API server denies what it should: with the parameters of this stamp, in the namespaces of all
 * releases, and with a clock that runs. Throws `KK_GUARD`.
 */
export async function awaitEnforcement(
  client: ApiClient,
  releases: readonly ReleaseId[],
  stamp: string,
): Promise<void> {
  await awaitVerdict(
    client,
    PARAMETERS,
    (found) => found.outcome === 'denied' && found.said.includes(stamp),
    () => blind('the parameters of the guard'),
  )
  for (const name of new Set(releases.map(releaseNamespace))) {
    await awaitDenial(client, {resource: NAMESPACES, namespace: '', name}, `that ${name} is guarded`)
  }
  await awaitClock(client, await nextTime(client))
}

/**
 * Waits until the policy that ends approvals sees this time, in seconds since the epoch; by default the newest. With a
 * clock that has stopped, an approval would never end. Throws `KK_GUARD`.
 */
export async function awaitClock(client: ApiClient, time?: number): Promise<void> {
  await setClockFace(client, time ?? (await newestTime(client)))
  await awaitDenial(client, CLOCK_FACE, 'its own clock, by which approvals end')
}

/** Returns the newest time once it has moved on, for a clock that has only just stopped still shows the newest. */
async function nextTime(client: ApiClient): Promise<number> {
  const before = await newestTime(client)
  const later = async () => {
    const now = await newestTime(client)
    return now > before && now
  }
  const polling = {interval: PAUSE_MILLISECONDS, deadline: Date.now() + RENEWAL_MILLISECONDS}
  const found = await pollUntil(later, polling)
  if (found === undefined) throw blind('a renewal of its own Lease in kube-system')
  return found
}

function awaitDenial(client: ApiClient, target: Target, what: string): Promise<void> {
  return awaitVerdict(
    client,
    target,
    ({outcome}) => outcome === 'denied',
    () => blind(what),
  )
}

/** Returns the time of the last sign of life of any API server, in seconds since the epoch. */
async function newestTime(client: ApiClient): Promise<number> {
  const [[label, value] = []] = Object.entries(CLOCK.label)
  const {items} = await listAll<{spec: {renewTime?: string}}>(client, {
    path: resourcePath(LEASES, CLOCK.namespace),
    query: {labelSelector: `${label}=${value}`},
    asked: asking('list', LEASES, CLOCK.namespace),
  })
  const times = items.map(({spec}) => Date.parse(spec.renewTime ?? ''))
  if (times.length === 0)
    throw blind('a Lease of its own in kube-system: the feature APIServerIdentity is off')
  return Math.floor(Math.max(...times) / 1000)
}

/** Writes the ConfigMap that may be deleted until then: its deletion is denied as soon as the policy sees that time. */
async function setClockFace(client: ApiClient, until: number): Promise<void> {
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
    asked: asking('write', CONFIG_MAPS, KK_NAMESPACE, EXPIRY_NAME),
  })
}
