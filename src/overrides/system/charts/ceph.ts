import type {Values} from '../../../base/values.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {databaseMembers, fixed, limits, quorumReplicas, replicas, spread} from '../shared/sizing.ts'
import {storage} from '../shared/storage.ts'
import {belowGlobal, clusterDomain} from '../shared/trees.ts'

const SHARES = {
  mon: {memory: 1024, cpu: 1000},
  mgr: {memory: 1024, cpu: 1000},
  osd: {memory: 2560, cpu: 2000},
}

/** openstack-helm has several charts, one for each daemon: none of this name. */
export const plugin = definePlugin({
  chart: 'ceph',
  reads: ['controllers', 'zones', 'storage', 'defaultStorageClass', 'dnsDomain', 'allInOne'],
  kk: (facts) =>
    compose(
      quorumReplicas(facts.controllers, 'mon', databaseMembers),
      ifKnown(facts.controllers, (count) => fixed(count, 'mgr', Math.min(count, 2))),
      replicas(facts.controllers, ['osd']),
      spread(facts),
      limits(facts.allInOne, SHARES),
      small(facts.allInOne),
      // Its own volumes use another storage class than the one it provides.
      belowGlobal(
        storage({...facts, storage: facts.storage === 'ceph' ? 'class' : facts.storage}),
        clusterDomain(facts.dnsDomain),
      ),
    ),
  overrides: () => ({}),
})

/** Returns the settings for one machine: all copies are on it, and an osd gets the minimum memory. */
function small(allInOne: boolean | undefined): Values | undefined {
  if (!allInOne) return undefined
  return {conf: {ceph: {global: {osd_crush_chooseleaf_type: 0}, osd: {osd_memory_target: 1073741824}}}}
}
