import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {API, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'placement',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) =>
    kkService(facts, {serves: ['placement'], shares: {api: API}, wsgi: {placement_api_uwsgi: 8780}}),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['placement'], shares: {api: API}}),
      ifKnown(workers(facts), (processes) => ({conf: {placement_api_uwsgi: {uwsgi: {processes}}}})),
    ),
})
