import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {API, workers} from '../shared/limits.ts'
import {wsgiListens} from '../shared/listen.ts'
import {serviceSecrets} from '../shared/secrets.ts'
import {SERVICE_FACTS, service} from '../shared/service.ts'

export const plugin = definePlugin({
  chart: 'placement',
  reads: [...SERVICE_FACTS, 'cpus', 'ipFamily'],
  secrets: serviceSecrets('placement', ['oslo_messaging']),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api'],
        accounts: ['placement'],
        serves: ['placement'],
        shares: {api: API},
        withoutBus: true,
      }),
      given(workers(facts), (processes) => ({conf: {placement_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http-socket', {placement_api_uwsgi: 8778}),
    ),
})
