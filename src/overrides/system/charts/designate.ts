import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'
import {storage} from '../shared/storage.ts'

const SHARES = {api: API, central: WORKER, mdns: WORKER, producer: WORKER, worker: WORKER}
const COMPONENTS = ['api', 'central', 'mdns', 'worker', 'producer']

export const plugin = definePlugin({
  chart: 'designate',
  reads: [...KK_FACTS, 'cpus', 'storage', 'defaultStorageClass', 'ipFamily'],
  kk: (facts) =>
    compose(
      kkService(facts, {
        perController: [...COMPONENTS, 'bind9'],
        serves: ['dns'],
        shares: SHARES,
        wsgi: {designate_api_uwsgi: 9001},
      }),
      ifKnown(workers(facts), (count) => ({
        conf: {designate: {'service:central': {workers: count}, 'service:worker': {workers: count}}},
      })),
      facts.ipFamily === 'ipv6' ? {conf: {designate: {'service:mdns': {listen: '[::]:5354'}}}} : undefined,
      storage(facts),
    ),
  overrides: (facts) =>
    service(facts, {
      perController: [...COMPONENTS, 'sink'],
      serves: [],
      shares: Object.fromEntries([...COMPONENTS, 'sink'].map((name) => [name, WORKER])),
    }),
})
