import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal} from '../shared/service.ts'
import {API, limits, replicas, spread} from '../shared/sizing.ts'
import {api} from './fm.ts'

/** StarlingX's fault manager, by the name of its chart in kk and in StarlingX's application of OpenStack. */
export const plugin = definePlugin({
  chart: 'fm-rest-api',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['api']),
      spread(facts),
      limits(facts.allInOne, {api: API}),
      api(facts),
      serviceBelowGlobal(facts, ['faultmanagement']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {perController: ['api'], serves: ['faultmanagement'], shares: {api: API}}),
      api(facts),
    ),
})
