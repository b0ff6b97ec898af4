import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal} from '../shared/service.ts'
import {API, limits, replicas, spread, WORKER, workers} from '../shared/sizing.ts'
import {storage} from '../shared/storage.ts'

const SHARES = {api: API, central: WORKER, mdns: WORKER, producer: WORKER, worker: WORKER}
const COMPONENTS = ['api', 'central', 'mdns', 'worker', 'producer']

export const plugin = definePlugin({
  chart: 'designate',
  reads: [...KK_FACTS, 'cpus', 'storage', 'defaultStorageClass', 'ipFamily'],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, [...COMPONENTS, 'bind9']),
      spread(facts),
      limits(facts.allInOne, SHARES),
      given(workers(facts), (count) => ({
        conf: {
          designate: {
            'service:api': {workers: count},
            'service:central': {workers: count},
            'service:worker': {workers: count},
          },
        },
      })),
      facts.ipFamily === 'ipv6'
        ? {conf: {designate: {'service:api': {listen: '[::]:9001'}, 'service:mdns': {listen: '[::]:5354'}}}}
        : undefined,
      storage(facts),
      serviceBelowGlobal(facts, ['dns']),
    ),
  overrides: (facts) =>
    service(facts, {
      perController: [...COMPONENTS, 'sink'],
      serves: [],
      shares: Object.fromEntries([...COMPONENTS, 'sink'].map((name) => [name, WORKER])),
    }),
})
