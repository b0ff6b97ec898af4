import {definePlugin} from '../plugin.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {API} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'keystone',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) => kkService(facts, {serves: [], shares: {api: API}, wsgi: {keystone_api_uwsgi: 5000}}),
  overrides: (facts) => service(facts, {serves: [], shares: {api: API}}),
})
