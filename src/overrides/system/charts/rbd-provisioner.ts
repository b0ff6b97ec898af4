import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {CEPH_CLASS} from '../shared/storage.ts'

/** The provisioner of volumes in Ceph for the whole cluster, with the storage class that all other charts then use. */
export const plugin = definePlugin({
  chart: 'rbd-provisioner',
  namespaces: ['kube-system'],
  reads: ['controllers', 'storage', 'ceph'],
  overrides: (facts) =>
    compose(
      // One replica works, the other waits to take over.
      given(facts.controllers, (count) => ({global: {replicas: Math.min(2, count)}})),
      given(facts.storage, (kind) => (kind === 'ceph' ? cephClass(facts.ceph) : {classes: []})),
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
    given(ceph, ({monitors}) => ({classdefaults: {monitors}})),
  )
}
