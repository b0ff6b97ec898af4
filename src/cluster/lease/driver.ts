import type {ApiClient} from '../api/client.ts'
import {LEASES, readObject} from '../api/resources.ts'
import type {KubernetesObject} from '../cluster.ts'
import {KK_NAMESPACE, type Lease} from './lease.ts'

/** The name of the Lease that says who drives an environment. */
export function driverLeaseName(environment: string): string {
  return `kk-env-${environment}`
}

/** Returns who drives an environment; undefined if nobody does. */
export async function readDriver(client: ApiClient, environment: string): Promise<string | undefined> {
  const place = {namespace: KK_NAMESPACE, name: driverLeaseName(environment)}
  return (await readObject<Lease>(client, LEASES, place))?.spec?.holderIdentity
}

/** Returns the Lease by which `driver` drives an environment until the Lease, or its owner, is deleted. It is not renewed. */
export function driverLease(environment: string, driver: string, owner: object): KubernetesObject {
  return {
    apiVersion: LEASES.apiVersion,
    kind: LEASES.kind,
    metadata: {name: driverLeaseName(environment), namespace: KK_NAMESPACE, ownerReferences: [owner]},
    spec: {holderIdentity: driver},
  }
}
