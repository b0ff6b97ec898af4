import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {API} from '../shared/sizing.ts'
import {api} from './fm.ts'

/** StarlingX's fault manager, by the name of its chart in kk and in StarlingX's application of OpenStack. */
export const plugin = definePlugin({
  chart: 'fm-rest-api',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) => compose(kkService(facts, {serves: ['faultmanagement'], shares: {api: API}}), api(facts)),
  overrides: (facts) =>
    compose(service(facts, {serves: ['faultmanagement'], shares: {api: API}}), api(facts)),
})
