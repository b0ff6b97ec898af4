import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {fixed, limits, type Share, spread} from '../shared/sizing.ts'
import {CEPH_CLASS, storageOfClient} from '../shared/storage.ts'
import {belowGlobal, clusterDomain} from '../shared/trees.ts'

/** Sized for concurrent operations: each starts a Ceph client. */
const SHARES: Readonly<Record<string, Share>> = {
  provisioner: {memory: 1024, cpu: 1000},
  node: {memory: 1024, cpu: 1000},
}

/**
 * The provisioner of volumes in Ceph for the whole cluster, with the storage class that all other charts use.
 */
export const plugin = definePlugin({
  chart: 'rbd-provisioner',
  namespaces: ['kube-system'],
  reads: ['controllers', 'zones', 'storage', 'ceph', 'dnsDomain', 'allInOne'],
  kk: (facts) =>
    compose(
      ifKnown(facts.controllers, (count) => fixed(count, 'provisioner', Math.min(2, count))),
      spread(facts),
      limits(facts.allInOne, SHARES),
      belowGlobal(
        ifKnown(facts.ceph, () => storageOfClient(facts)),
        clusterDomain(facts.dnsDomain),
      ),
    ),
  overrides: (facts) =>
    compose(
      // One replica works, the other waits to take over.
      ifKnown(facts.controllers, (count) => ({global: {replicas: Math.min(2, count)}})),
      ifKnown(facts.storage, (kind) => (kind === 'ceph' ? cephClass(facts.ceph) : {classes: []})),
    ),
})

function cephClass(ceph: Facts['ceph']): Values {
  const userId = ceph?.user ?? 'kube'
  return compose(
    {
      classes: [
        {
          name: CEPH_CLASS,
          pool_name: 'kube-rbd',
          userId,
          ...(ceph?.replication !== undefined && {replication: ceph.replication}),
        },
      ],
    },
    ifKnown(ceph, ({monitors}) => ({classdefaults: {monitors}})),
  )
}
