import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, osloListens, service, serviceBelowGlobal} from '../shared/service.ts'
import {API, limits, replicas, spread, workers} from '../shared/sizing.ts'

/** StarlingX's proxy in front of nova's API: it answers at nova's address and stores nothing. */
export const plugin = definePlugin({
  chart: 'nova-api-proxy',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kkReads: [...KK_FACTS, 'ipFamily'],
  // The proxy is one process.
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['proxy']),
      spread(facts),
      limits(facts.allInOne, {proxy: API}),
      osloListens(facts.ipFamily, {nova_api_proxy: {DEFAULT: ['osapi_proxy_listen']}}),
      serviceBelowGlobal(facts, ['compute_proxy']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['proxy'],
        serves: ['compute'],
        shares: {proxy: API},
      }),
      given(workers(facts), (count) => ({
        conf: {nova_api_proxy: {DEFAULT: {osapi_compute_workers: count}}},
      })),
      given(facts.ipFamily, (family) => ({
        conf: {nova_api_proxy: {DEFAULT: {osapi_proxy_listen: family === 'ipv6' ? '::' : '0.0.0.0'}}},
      })),
    ),
})
