import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {compose, ifKnown} from './compose.ts'

/** The storage class that rbd-provisioner makes, in openstack-helm and here. */
export const CEPH_CLASS = 'general'

export type StorageFacts = Pick<Facts, 'storage' | 'defaultStorageClass'>

/** Returns `storage` of kk's charts: whether volumes outlive their pod, and their storage class. */
export function storage(facts: StorageFacts): Values | undefined {
  if (facts.storage === undefined) return undefined
  if (facts.storage === 'ephemeral') return {storage: {ephemeral: true}}
  return {storage: {ephemeral: false, class: volumeClass(facts)}}
}

/**
 * Returns `storage` of kk's clients of Ceph, if the data is in Ceph, with the monitors of one that is not
 * kk's.
 */
export function storageOfClient(facts: StorageFacts & Pick<Facts, 'ceph'>): Values | undefined {
  if (facts.storage !== 'ceph') return storage(facts)
  return compose(
    storage(facts),
    {storage: {backend: 'ceph'}},
    ifKnown(facts.ceph, ({monitors}) => ({
      endpoints: {ceph_mon: {host_fqdn_override: {default: monitors.join(',')}}},
    })),
  )
}

/**
 * Returns the storage class of volumes; undefined unless the facts specify the storage. A claim keeps its
 * class forever, so the current default class of the cluster is not written automatically.
 */
export function volumeClass({storage: kind, defaultStorageClass}: StorageFacts): string | undefined {
  if (kind === undefined || kind === 'ephemeral') return undefined
  return defaultStorageClass ?? (kind === 'ceph' ? CEPH_CLASS : undefined)
}

/** Returns `volume` of a chart of openstack-helm with one volume. */
export function volume(facts: StorageFacts): Values | undefined {
  if (facts.storage === undefined) return undefined
  const class_name = volumeClass(facts)
  if (facts.storage === 'ephemeral') return {volume: {enabled: false}}
  return class_name === undefined ? undefined : {volume: {class_name}}
}

/**
 * Returns `conf.ceph` of openstack-helm's charts: whether there is Ceph, and the addresses of its monitors.
 */
export function cephClient({storage, ceph}: Pick<Facts, 'storage' | 'ceph'>): Values | undefined {
  return ifKnown(storage, (kind) => ({
    conf: {ceph: kind === 'ceph' ? {enabled: true, monitors: ceph?.monitors} : {enabled: false}},
  }))
}

/** Returns the number of copies of each object in these pools. */
export function poolReplication(
  {storage, ceph}: Pick<Facts, 'storage' | 'ceph'>,
  pools: readonly string[],
): Values | undefined {
  if (storage !== 'ceph') return undefined
  return ifKnown(ceph?.replication, (replication) => ({
    conf: {ceph: {pools: Object.fromEntries(pools.map((pool) => [pool, {replication}]))}},
  }))
}
