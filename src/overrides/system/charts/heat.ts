import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {SERVICE_FACTS, service, wsgiListens} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'heat',
  reads: [...SERVICE_FACTS, 'region', 'cpus', 'ipFamily'],
  secrets: [
    {
      name: 'heat.auth_encryption_key',
      kind: 'token',
      path: ['conf', 'heat', 'DEFAULT', 'auth_encryption_key'],
      byHand: {
        why: 'what heat keeps of its stacks in the database cannot be read with another key',
        first: 'have the database encrypted anew (heat-manage update_params decrypt, then encrypt)',
      },
    },
  ],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'cfn', 'engine'],
        serves: ['orchestration', 'cloudformation'],
        shares: {api: API, cfn: API, engine: WORKER},
      }),
      given(facts.region, (region) => ({conf: {heat: {DEFAULT: {region_name_for_services: region}}}})),
      given(workers(facts), (count) => ({conf: {heat: {DEFAULT: {num_engine_workers: count}}}})),
      wsgiListens(facts.ipFamily, 'http-socket', {heat_api_uwsgi: 8004, heat_api_cfn_uwsgi: 8000}),
    ),
})
