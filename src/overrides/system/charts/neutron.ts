import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, osloListens, service} from '../shared/service.ts'
import {AGENT, API, rollingUpdateOfDaemons, rollingUpdateOfNodes, WORKER, workers} from '../shared/sizing.ts'
import {belowGlobal, ovnMembers} from '../shared/trees.ts'

export const plugin = definePlugin({
  chart: 'neutron',
  reads: [...KK_FACTS, 'computes', 'cpus', 'ipFamily'],
  secrets: [
    {
      name: 'compute_metadata.shared_secret',
      kind: 'password',
      path: ['conf', 'metadata_agent', 'DEFAULT', 'metadata_proxy_shared_secret'],
    },
    {
      name: 'compute_metadata.shared_secret',
      kind: 'password',
      path: ['conf', 'ovn_metadata_agent', 'DEFAULT', 'metadata_proxy_shared_secret'],
    },
  ],
  kk: (facts) =>
    compose(
      kkService(facts, {
        serves: ['network'],
        shares: {
          server: API,
          'rpc-server': WORKER,
          'periodic-workers': WORKER,
          'ovn-maintenance-worker': WORKER,
        },
        wsgi: {neutron_server_uwsgi: 9696},
      }),
      ifKnown(workers(facts), (processes) => ({conf: {neutron: {DEFAULT: {rpc_workers: processes}}}})),
      facts.ipFamily === 'ipv6' ? {conf: {ml2: {ml2: {overlay_ip_version: 6}}}} : undefined,
      rollingUpdateOfNodes(facts.computes),
      belowGlobal(ovnMembers(facts)),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['server', 'rpc_server'],
        serves: ['network', 'compute'],
        shares: {server: API, rpc_server: API, agent: AGENT},
      }),
      ifKnown(facts.controllers, agents),
      ifKnown(workers(facts), (count) => ({
        conf: {neutron: {DEFAULT: {api_workers: count, rpc_workers: count}}},
      })),
      rollingUpdateOfDaemons(facts.computes, ['ovs_agent']),
      ipv6Listeners(facts.ipFamily),
    ),
})

/** Returns the settings of the agents for routers and addresses: one controller has none to fail over to. */
function agents(controllers: number): Values {
  const several = controllers > 1
  return {
    conf: {
      neutron: {
        DEFAULT: {
          dhcp_agents_per_network: Math.min(2, controllers),
          l3_ha: several,
          ...(several && {max_l3_agents_per_router: Math.min(3, controllers)}),
        },
      },
    },
  }
}

/** Returns the addresses to listen on. Tunnels between nodes use the nodes' address family, too. */
function ipv6Listeners(family: Facts['ipFamily']): Values | undefined {
  if (family !== 'ipv6') return undefined
  return compose(osloListens(family, {neutron: {DEFAULT: ['bind_host']}}), {
    conf: {plugins: {ml2_conf: {ml2: {overlay_ip_version: 6}}}},
  })
}
