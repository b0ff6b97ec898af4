import type {ApiClient} from '../api/client.ts'
import {LEASES, readObject} from '../api/resources.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {KK_NAMESPACE, type Lease} from './lease.ts'

/** The name of the Lease whose holder manages an environment. */
export function driverLeaseName(environment: string): string {
  return `kk-env-${environment}`
}

/** Returns the manager of an environment; undefined if it has none, or if its Lease has expired. */
export async function readDriver(client: ApiClient, environment: string): Promise<string | undefined> {
  const place = {namespace: KK_NAMESPACE, name: driverLeaseName(environment)}
  const {holderIdentity, leaseDurationSeconds, renewTime} =
    (await readObject<Lease>(client, LEASES, place))?.spec ?? {}
  const duration = leaseDurationSeconds === undefined ? undefined : leaseDurationSeconds * 1000
  const hasExpired = duration !== undefined && Date.parse(renewTime ?? '') + duration < client.now()
  return hasExpired ? undefined : holderIdentity
}

/** The holder of the Lease if an Environment of the same cluster manages the environment. */
export const OWN_OPERATOR = 'the operator'

/** The duration of the Lease of a manager in another cluster, in seconds. */
const REMOTE_LEASE_SECONDS = 3_600

/**
 * Returns the Lease by which `driver` manages an environment. In the same cluster it is deleted with its
 * owner, and needs no renewal; a manager in another cluster has no owner there, and renews it by `now` as a
 * heartbeat.
 */
export function driverLease(
  environment: string,
  driver: string,
  by: {readonly owner: object} | {readonly now: number},
): KubernetesObject {
  const owners = 'owner' in by ? {ownerReferences: [by.owner]} : {}
  const expiry = 'now' in by && {
    leaseDurationSeconds: REMOTE_LEASE_SECONDS,
    renewTime: new Date(by.now).toISOString().replace('Z', '000Z'),
  }
  return {
    apiVersion: LEASES.apiVersion,
    kind: LEASES.kind,
    metadata: {name: driverLeaseName(environment), namespace: KK_NAMESPACE, ...owners},
    spec: {holderIdentity: driver, ...expiry},
  }
}
