import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {limits, quorumReplicas, rabbitmqMembers, spread} from '../shared/sizing.ts'
import {storage, volume} from '../shared/storage.ts'
import {belowGlobal, clusterDomain} from '../shared/trees.ts'

const SHARES = {server: {memory: 1024, cpu: 1000}}

export const plugin = definePlugin({
  chart: 'rabbitmq',
  reads: ['controllers', 'zones', 'storage', 'defaultStorageClass', 'dnsDomain', 'ipFamily', 'allInOne'],
  kk: (facts) =>
    compose(
      quorumReplicas(facts.controllers, 'server', rabbitmqMembers),
      spread(facts),
      limits(facts.allInOne, SHARES),
      ipv6Listeners(facts.ipFamily),
      belowGlobal(storage(facts), clusterDomain(facts.dnsDomain)),
    ),
  overrides: (facts) =>
    compose(
      quorumReplicas(facts.controllers, 'server', rabbitmqMembers),
      spread(facts),
      limits(facts.allInOne, SHARES),
      volume(facts),
    ),
})

/**
 * Returns the settings for IPv6: one each for client connections, connections between members, and the
 * command-line tools.
 */
function ipv6Listeners(family: Facts['ipFamily']): Values | undefined {
  if (family !== 'ipv6') return undefined
  const distribution = '-proto_dist inet6_tcp'
  return {
    conf: {rabbitmq: {'listeners.tcp.1': ':::5672'}},
    pod: {
      env: {server: {RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: distribution, RABBITMQ_CTL_ERL_ARGS: distribution}},
    },
  }
}
