import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {databaseMembers, limits, memoryPart, quorumReplicas, spread} from '../shared/sizing.ts'
import {storage, volume} from '../shared/storage.ts'
import {belowGlobal, clusterDomain} from '../shared/trees.ts'

const SHARES = {server: {memory: 1536, cpu: 2000}}

export const plugin = definePlugin({
  chart: 'mariadb',
  reads: [
    'controllers',
    'zones',
    'memory',
    'storage',
    'defaultStorageClass',
    'dnsDomain',
    'ipFamily',
    'allInOne',
  ],
  kk: (facts) =>
    compose(
      quorumReplicas(facts.controllers, 'server', databaseMembers),
      spread(facts),
      limits(facts.allInOne, SHARES),
      ifKnown(bufferPool(facts), (size) => ({
        conf: {my_cnf: {mysqld: {innodb_buffer_pool_size: `${size}M`}}},
      })),
      ipv6Listeners(facts.ipFamily),
      belowGlobal(storage(facts), clusterDomain(facts.dnsDomain)),
    ),
  overrides: (facts) =>
    compose(
      quorumReplicas(facts.controllers, 'server', databaseMembers),
      spread(facts),
      limits(facts.allInOne, SHARES),
      volume(facts),
    ),
})

/**
 * Returns the size of the buffer pool in MiB; undefined on one machine, for which the chart's default fits.
 */
function bufferPool({memory, allInOne}: Pick<Facts, 'memory' | 'allInOne'>): number | undefined {
  return allInOne ? undefined : memoryPart(memory, {parts: 16, least: 128, most: 8192})
}

/** Returns the addresses on which clients, and the other members, reach a member. */
function ipv6Listeners(ipFamily: Facts['ipFamily']): Values | undefined {
  if (ipFamily !== 'ipv6') return undefined
  const members = {wsrep_provider_options: 'gmcast.listen_addr=tcp://[::]:4567'}
  return {conf: {my_cnf: {mysqld: {'bind-address': '::', ...members}}}}
}
