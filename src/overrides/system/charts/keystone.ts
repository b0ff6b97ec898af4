import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
import {API, limits, replicas, spread, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'keystone',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['api']),
      spread(facts),
      limits(facts.allInOne, {api: API}),
      given(workers(facts), (processes) => ({conf: {keystone_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http', {keystone_api_uwsgi: 5000}),
      serviceBelowGlobal(facts, []),
    ),
  overrides: (facts) => service(facts, {perController: ['api'], serves: [], shares: {api: API}}),
})
