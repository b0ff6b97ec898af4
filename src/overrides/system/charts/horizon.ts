import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
import {limits, replicas, spread, workers} from '../shared/sizing.ts'

const SHARES = {server: {memory: 1536, cpu: 1000}}

export const plugin = definePlugin({
  chart: 'horizon',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  secrets: [
    {
      name: 'dashboard.secret_key',
      kind: 'password',
      path: ['conf', 'horizon', 'local_settings', 'config', 'horizon_secret_key'],
    },
  ],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['server']),
      spread(facts),
      limits(facts.allInOne, SHARES),
      given(workers(facts), (processes) => ({conf: {horizon_server_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http', {horizon_server_uwsgi: 8080}),
      serviceBelowGlobal(facts, ['dashboard']),
    ),
  overrides: (facts) => service(facts, {perController: ['server'], serves: ['dashboard'], shares: SHARES}),
})
