import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {API, WORKER, workers} from '../shared/limits.ts'
import {wsgiListens} from '../shared/listen.ts'
import {endpointSecrets, serviceSecrets} from '../shared/secrets.ts'
import {SERVICE_FACTS, service} from '../shared/service.ts'

/** Trusts and the users inside of stacks have accounts of their own. */
const FURTHER_ACCOUNTS = ['heat_trustee', 'heat_stack_user']

export const plugin = definePlugin({
  chart: 'heat',
  reads: [...SERVICE_FACTS, 'cpus', 'ipFamily'],
  secrets: [
    ...serviceSecrets('heat'),
    ...endpointSecrets({tree: 'own', accounts: {identity: FURTHER_ACCOUNTS}}),
    {
      name: 'heat.auth_encryption_key',
      kind: 'token',
      path: ['conf', 'heat', 'DEFAULT', 'auth_encryption_key'],
    },
  ],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'cfn', 'engine'],
        accounts: ['heat', ...FURTHER_ACCOUNTS],
        serves: ['orchestration', 'cloudformation'],
        shares: {api: API, cfn: API, engine: WORKER},
      }),
      given(facts.region, (region) => ({conf: {heat: {DEFAULT: {region_name_for_services: region}}}})),
      given(workers(facts), (count) => ({conf: {heat: {DEFAULT: {num_engine_workers: count}}}})),
      wsgiListens(facts.ipFamily, 'http-socket', {heat_api_uwsgi: 8004, heat_api_cfn_uwsgi: 8000}),
    ),
})
