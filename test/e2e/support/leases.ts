import {leaseName} from '../../../src/kubernetes/lease/lease.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {get, kubectl} from './cluster.ts'

const OF_KK = ['--namespace', 'kk-system']

/** The Lease of a release as another operator holds it. */
export function leaseOf(release: ReleaseId, holder: string): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: leaseName(release),
      namespace: 'kk-system',
      annotations: {'kk.openstack.org/release': release},
    },
    spec: {holderIdentity: holder, leaseDurationSeconds: 60},
  }
}

/** Holds releases as another operator would; resolves with what gives them back. */
export async function holdByHand(
  holder: string,
  ...releases: readonly ReleaseId[]
): Promise<{free(): Promise<void>}> {
  await kubectl(['create', 'namespace', 'kk-system']).catch(() => undefined)
  const leases = releases.map((release) => leaseOf(release, holder))
  await kubectl(['create', '--filename', '-'], {input: {apiVersion: 'v1', kind: 'List', items: leases}})
  return {free: async () => void (await kubectl(['delete', 'leases', ...OF_KK, ...releases.map(leaseName)]))}
}

/** Makes somebody else the holder of a Lease that is held. */
export async function takeLease(release: ReleaseId, holder: string): Promise<void> {
  const patch = JSON.stringify({spec: {holderIdentity: holder}})
  await kubectl(['patch', 'lease', leaseName(release), ...OF_KK, '--type', 'merge', '--patch', patch])
}

/** Who holds releases of this namespace: `api by operator@host (…)`. */
export async function holders(namespace: string): Promise<string[]> {
  interface Lease {
    readonly metadata: {readonly name: string; readonly annotations?: Readonly<Record<string, string>>}
    readonly spec: {readonly holderIdentity?: string}
  }
  const {items} = await get<{items: Lease[]}>('leases', ...OF_KK)
  return items.flatMap(({metadata, spec}) => {
    const [of, name] = (metadata.annotations?.['kk.openstack.org/release'] ?? '').split('/')
    return of === namespace ? [`${name} by ${spec.holderIdentity}`] : []
  })
}
