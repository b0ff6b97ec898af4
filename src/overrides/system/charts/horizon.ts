import {definePlugin} from '../plugin.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'

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
    kkService(facts, {serves: ['dashboard'], shares: SHARES, wsgi: {horizon_server_uwsgi: 8080}}),
  overrides: (facts) => service(facts, {serves: ['dashboard'], shares: SHARES}),
})
