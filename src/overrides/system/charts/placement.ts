import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
import {API, limits, replicas, spread, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'placement',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['api']),
      spread(facts),
      limits(facts.allInOne, {api: API}),
      given(workers(facts), (processes) => ({conf: {placement_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http', {placement_api_uwsgi: 8780}),
      serviceBelowGlobal(facts, ['placement']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {perController: ['api'], serves: ['placement'], shares: {api: API}}),
      given(workers(facts), (processes) => ({conf: {placement_api_uwsgi: {uwsgi: {processes}}}})),
    ),
})
