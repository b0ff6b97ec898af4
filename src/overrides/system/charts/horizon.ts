import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {limits, workers} from '../shared/limits.ts'
import {wsgiListens} from '../shared/listen.ts'
import {replicas} from '../shared/replicas.ts'
import {endpointSecret} from '../shared/secrets.ts'
import {SERVICE_FACTS, serviceBelowGlobal} from '../shared/service.ts'
import {spread} from '../shared/zones.ts'

export const plugin = definePlugin({
  chart: 'horizon',
  reads: [...SERVICE_FACTS, 'cpus', 'ipFamily'],
  secrets: [endpointSecret('global', 'dashboard', 'secret_key')],
  overrides: (facts) =>
    compose(
      replicas(facts.controllers, ['server']),
      spread(facts),
      limits(facts.allInOne, {server: {memory: 1536, cpu: 1000}}),
      given(workers(facts), (processes) => ({conf: {horizon_server_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http', {horizon_server_uwsgi: 8080}),
      cookies(facts),
      serviceBelowGlobal(facts, ['dashboard']),
    ),
})

/** Behind something that ends TLS, Django has to be told so, or it refuses every form that is sent. */
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
