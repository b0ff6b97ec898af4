import {KkError} from '../../base/errors.ts'
import type {ReleaseRecord} from '../../kubernetes/records/release-record.ts'
import type {StoreIdentity} from '../../overrides/user/store.ts'
import type {ReleaseId} from '../../release.ts'
import type {DesiredRelease, StoreStamp} from '../desired.ts'
import {readLabels} from '../labels.ts'

export interface StoreExpectation {
  /** The store in use; undefined without one. */
  readonly store: StoreIdentity | undefined
  /** The UID of the namespace `kube-system`; undefined for a throwaway cluster, which accepts any store. */
  readonly cluster: string | undefined
  readonly environment: string
  readonly desired: ReadonlyMap<ReleaseId, DesiredRelease>
  readonly records: readonly ReleaseRecord[]
}

/** A release that has user overrides, or would get some, and the store that its record names. */
interface ReleaseOverrides {
  readonly release: ReleaseId
  readonly store: StoreStamp
  /** Whether it was deployed with overrides. */
  readonly hasOverrides: boolean
}

/**
 * Throws `KK_STORE` if the override store is not the one with which the cloud was deployed. There are three
 * cases: the store belongs to another cluster; a release of this environment was deployed with overrides from
 * another store; or a release was deployed with a newer state of this store, so that an older copy would
 * restore deleted overrides.
 */
export function expectStore(expectation: StoreExpectation): void {
  const {store, cluster} = expectation
  const recordedOverrides = listOverrides(expectation)
  const isUsed = [...expectation.desired.values()].some(isOverridden)
  if (isUsed && store?.cluster !== undefined && cluster !== undefined && store.cluster !== cluster)
    throw otherCluster(store, cluster)
  const otherStores = recordedOverrides.filter((each) => each.hasOverrides && each.store.id !== store?.id)
  if (otherStores.length > 0) throw otherStore(otherStores, store)
  const newerStores = recordedOverrides.filter(
    ({store: {id, state}}) => id === store?.id && state > store.state,
  )
  if (store && newerStores.length > 0) throw newerState(newerStores, store)
}

function listOverrides({environment, desired, records}: StoreExpectation): readonly ReleaseOverrides[] {
  return records.flatMap(({release, labels}) => {
    const wanted = desired.get(release)
    const recorded = readLabels(labels)
    if (!wanted || recorded?.owner !== environment || !recorded.store) return []
    const hasOverrides = recorded.layers.has('user')
    return hasOverrides || isOverridden(wanted) ? [{release, store: recorded.store, hasOverrides}] : []
  })
}

/** Returns true for a release with user overrides. */
export function isOverridden({layers}: Pick<DesiredRelease, 'layers'>): boolean {
  return layers.some(({name}) => name === 'user')
}

function otherCluster({id, cluster}: StoreIdentity, uid: string): KkError {
  return new KkError(
    'KK_STORE',
    `the override store ${id} belongs to another cluster: to ${cluster}, not to ${uid} (UIDs of the namespace kube-system)`,
    {
      hint: 'name the store of this cluster with --store, or the cluster with --context; to use the store here from now on: --adopt-store',
    },
  )
}

function otherStore(overridden: readonly ReleaseOverrides[], store: StoreIdentity | undefined): KkError {
  const ids = [...new Set(overridden.map(({store: {id}}) => id))].join(', ')
  const here = store ? `but the store here is ${store.id}` : 'but there is no store here'
  const lost = store ? 'replace its overrides by those of the store here' : 'remove its overrides'
  return new KkError(
    'KK_STORE',
    `${describeReleases(overridden)} deployed with the override store ${ids}, ${here}`,
    {
      hint: `name that store with --store or KK_STORE, or read its export with kk overrides import; to ${lost}: --adopt-store`,
    },
  )
}

function newerState(overridden: readonly ReleaseOverrides[], {id, state}: StoreIdentity): KkError {
  const newest = Math.max(...overridden.map((each) => each.store.state))
  return new KkError(
    'KK_STORE',
    `${describeReleases(overridden)} deployed with a newer state of the override store ${id}: it had ${newest} changes, the store here has ${state}`,
    {
      hint: 'use the newest copy of the store, because an older one would revert overrides; to revert them: --adopt-store',
    },
  )
}

/** Formats the releases as the beginning of a message, such as `openstack/glance and 2 others were`. */
function describeReleases([first, ...others]: readonly ReleaseOverrides[]): string {
  if (others.length === 0) return `${first!.release} was`
  return `${first!.release} and ${others.length === 1 ? 'another' : `${others.length} others`} were`
}
