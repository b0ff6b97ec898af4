import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service, wsgiListens} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

const SHARES = {api: API, cfn: API, engine: WORKER}

export const plugin = definePlugin({
  chart: 'heat',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  secrets: [
    {
      name: 'heat.auth_encryption_key',
      kind: 'token',
      path: ['conf', 'heat', 'DEFAULT', 'auth_encryption_key'],
      byHand: {
        why: 'encrypted data of heat in the database cannot be read with another key',
        first: 're-encrypt the database (heat-manage update_params decrypt, then encrypt)',
      },
    },
  ],
  kk: (facts) =>
    compose(
      kkService(facts, {
        serves: ['orchestration', 'cloudformation'],
        shares: SHARES,
        wsgi: {heat_api_uwsgi: 8004, heat_cfn_uwsgi: 8000},
      }),
      ifKnown(workers(facts), (count) => ({conf: {heat: {DEFAULT: {num_engine_workers: count}}}})),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['orchestration', 'cloudformation'], shares: SHARES}),
      ifKnown(facts.region, (region) => ({conf: {heat: {DEFAULT: {region_name_for_services: region}}}})),
      ifKnown(workers(facts), (count) => ({conf: {heat: {DEFAULT: {num_engine_workers: count}}}})),
      wsgiListens(facts.ipFamily, 'http-socket', {heat_api_uwsgi: 8004, heat_api_cfn_uwsgi: 8000}),
    ),
})
