import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, osloListens, service} from '../shared/service.ts'
import {API, workers} from '../shared/sizing.ts'

/** StarlingX's proxy in front of nova's API: it answers at nova's address and stores nothing. */
export const plugin = definePlugin({
  chart: 'nova-api-proxy',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kkReads: [...KK_FACTS, 'ipFamily'],
  // The proxy is one process.
  kk: (facts) =>
    compose(
      kkService(facts, {serves: ['compute_proxy'], shares: {proxy: API}}),
      osloListens(facts.ipFamily, {nova_api_proxy: {DEFAULT: ['osapi_proxy_listen']}}),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['compute'], shares: {proxy: API}}),
      ifKnown(workers(facts), (count) => ({
        conf: {nova_api_proxy: {DEFAULT: {osapi_compute_workers: count}}},
      })),
      ifKnown(facts.ipFamily, (family) => ({
        conf: {nova_api_proxy: {DEFAULT: {osapi_proxy_listen: family === 'ipv6' ? '::' : '0.0.0.0'}}},
      })),
    ),
})
