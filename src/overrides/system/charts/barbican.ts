import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service, wsgiListens} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'barbican',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  secrets: [
    // The key with which simple_crypto encrypts every other key.
    {
      name: 'barbican.simple_crypto_kek',
      kind: 'fernet',
      path: ['conf', 'barbican', 'simple_crypto_plugin', 'kek'],
      byHand: {
        why: 'no data of barbican can be read with another key',
        first: 're-encrypt the keys of all projects (values: conf.simple_crypto_kek_rewrap.old_kek)',
      },
    },
  ],
  kk: (facts) =>
    kkService(facts, {
      serves: ['key_manager'],
      shares: {api: API, worker: WORKER, keystone_listener: WORKER},
      wsgi: {barbican_api_uwsgi: 9311},
    }),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['key_manager'], shares: {api: API}}),
      ifKnown(workers(facts), (processes) => ({conf: {barbican_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http-socket', {barbican_api_uwsgi: 9311}),
    ),
})
