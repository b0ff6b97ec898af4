import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {osloListens, SERVICE_FACTS, service} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'murano',
  reads: [...SERVICE_FACTS, 'region', 'cpus', 'ipFamily'],
  secrets: [
    // The password of the message bus that its agents inside guests use.
    {name: 'murano.agent_rabbitmq', kind: 'password', path: ['conf', 'murano', 'rabbitmq', 'password']},
  ],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'engine'],
        serves: ['application_catalog', 'orchestration'],
        shares: {api: API, engine: WORKER},
      }),
      given(facts.region, (home_region) => ({conf: {murano: {DEFAULT: {home_region}}}})),
      given(workers(facts), (count) => ({
        conf: {murano: {murano: {api_workers: count}, engine: {engine_workers: count}}},
      })),
      osloListens(facts.ipFamily, {murano: {DEFAULT: ['bind_host']}}),
    ),
})
