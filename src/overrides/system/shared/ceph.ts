import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'
import {given} from './compose.ts'

/** `conf.ceph` of openstack-helm's charts: whether there is Ceph, and where its monitors are. */
export function cephClient({storage, ceph}: Pick<Facts, 'storage' | 'ceph'>): Values | undefined {
  return given(storage, (kind) => ({
    conf: {ceph: kind === 'ceph' ? {enabled: true, monitors: ceph?.monitors} : {enabled: false}},
  }))
}

/** How often each object of these pools is kept. */
export function poolReplication(
  {storage, ceph}: Pick<Facts, 'storage' | 'ceph'>,
  pools: readonly string[],
): Values | undefined {
  if (storage !== 'ceph') return undefined
  return given(ceph?.replication, (replication) => ({
    conf: {ceph: {pools: Object.fromEntries(pools.map((pool) => [pool, {replication}]))}},
  }))
}
