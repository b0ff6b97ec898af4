import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'
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
      cookies(facts),
      serviceBelowGlobal(facts, ['dashboard']),
    ),
  overrides: (facts) => service(facts, {perController: ['server'], serves: ['dashboard'], shares: SHARES}),
})

/** Returns Django's settings behind a proxy that ends TLS; without them it refuses every form that is sent. */
function cookies({publicDomain, tls}: Pick<Facts, 'publicDomain' | 'tls'>): Values | undefined {
  if (publicDomain === undefined || !tls) return undefined
  return {
    conf: {
      local_settings: {
        SESSION_COOKIE_SECURE: true,
        CSRF_COOKIE_SECURE: true,
        CSRF_TRUSTED_ORIGINS: [`https://horizon.${publicDomain}`],
        SECURE_PROXY_SSL_HEADER: ['HTTP_X_FORWARDED_PROTO', 'https'],
      },
    },
  }
}
