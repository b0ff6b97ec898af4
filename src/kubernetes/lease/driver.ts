import type {ApiClient} from '../api/client.ts'
import {LEASES, readObject} from '../api/resources.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {KK_NAMESPACE, type Lease} from './lease.ts'

/** The name of the Lease that says who drives an environment. */
export function driverLeaseName(environment: string): string {
  return `kk-env-${environment}`
}

/** Returns who drives an environment; undefined if nobody does, or nobody has said so again in time. */
export async function readDriver(client: ApiClient, environment: string): Promise<string | undefined> {
  const place = {namespace: KK_NAMESPACE, name: driverLeaseName(environment)}
  const {holderIdentity, leaseDurationSeconds, renewTime} =
    (await readObject<Lease>(client, LEASES, place))?.spec ?? {}
  const lasts = leaseDurationSeconds === undefined ? undefined : leaseDurationSeconds * 1000
  const isOver = lasts !== undefined && Date.parse(renewTime ?? '') + lasts < client.now()
  return isOver ? undefined : holderIdentity
}

/** Who drives an environment by an Environment of the same cluster, as its Lease says it. */
export const OWN_OPERATOR = 'the operator'

/** So long a driver in another cluster drives without saying so again, in seconds. */
const ELSEWHERE_SECONDS = 3_600

/**
 * Returns the Lease by which `driver` drives an environment. It goes with its owner in the same cluster, and is then not
 * renewed; a driver elsewhere has none there, and says again and again by `now` that it drives.
 */
export function driverLease(
  environment: string,
  driver: string,
  by: {readonly owner: object} | {readonly now: number},
): KubernetesObject {
  const owners = 'owner' in by ? {ownerReferences: [by.owner]} : {}
  const term = 'now' in by && {
    leaseDurationSeconds: ELSEWHERE_SECONDS,
    renewTime: new Date(by.now).toISOString().replace('Z', '000Z'),
  }
  return {
    apiVersion: LEASES.apiVersion,
    kind: LEASES.kind,
    metadata: {name: driverLeaseName(environment), namespace: KK_NAMESPACE, ...owners},
    spec: {holderIdentity: driver, ...term},
  }
}
