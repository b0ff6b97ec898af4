import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {
  AGENT,
  databaseMembers,
  limits,
  quorumReplicas,
  replicas,
  rollingUpdateOfNodes,
  spread,
  WORKER,
} from '../shared/sizing.ts'
import {storage} from '../shared/storage.ts'
import {belowGlobal, clusterDomain} from '../shared/trees.ts'

const OPENSTACK_HELM = ['ovn_ovsdb_nb', 'ovn_ovsdb_sb', 'ovn_northd']

export const plugin = definePlugin({
  chart: 'ovn',
  reads: ['controllers', 'zones', 'storage', 'defaultStorageClass', 'dnsDomain', 'computes', 'allInOne'],
  kk: (facts) =>
    compose(
      quorumReplicas(facts.controllers, 'nb', databaseMembers),
      quorumReplicas(facts.controllers, 'sb', databaseMembers),
      replicas(facts.controllers, ['northd']),
      spread(facts),
      rollingUpdateOfNodes(facts.computes),
      limits(facts.allInOne, {northd: AGENT}),
      belowGlobal(storage(facts), clusterDomain(facts.dnsDomain)),
    ),
  overrides: (facts) =>
    compose(
      replicas(facts.controllers, OPENSTACK_HELM),
      spread(facts),
      limits(facts.allInOne, Object.fromEntries(OPENSTACK_HELM.map((name) => [name, WORKER]))),
      clusterDomain(facts.dnsDomain),
    ),
})
