import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
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
          designate: {'service:central': {workers: count}, 'service:worker': {workers: count}},
          designate_api_uwsgi: {uwsgi: {processes: count}},
        },
      })),
      wsgiListens(facts.ipFamily, 'http', {designate_api_uwsgi: 9001}),
      facts.ipFamily === 'ipv6' ? {conf: {designate: {'service:mdns': {listen: '[::]:5354'}}}} : undefined,
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
