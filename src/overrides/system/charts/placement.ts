import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {API, limits, workers} from '../shared/limits.ts'
import {wsgiListens} from '../shared/listen.ts'
import {replicas} from '../shared/replicas.ts'
import {endpointSecrets} from '../shared/secrets.ts'
import {SERVICE_FACTS, serviceBelowGlobal} from '../shared/service.ts'
import {spread} from '../shared/zones.ts'

export const plugin = definePlugin({
  chart: 'placement',
  reads: [...SERVICE_FACTS, 'cpus', 'ipFamily'],
  secrets: endpointSecrets({
    tree: 'global',
    accounts: {oslo_db: ['admin', 'placement'], identity: ['admin', 'placement']},
    cache: true,
  }),
  overrides: (facts) =>
    compose(
      replicas(facts.controllers, ['api']),
      spread(facts),
      limits(facts.allInOne, {api: API}),
      given(workers(facts), (processes) => ({conf: {placement_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http', {placement_api_uwsgi: 8780}),
      serviceBelowGlobal(facts, ['placement']),
    ),
})
