import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {KK_FACTS, kkService, osloListens, service} from '../shared/service.ts'
import {API} from '../shared/sizing.ts'

const DAY = 24 * 60 * 60

export const plugin = definePlugin({
  chart: 'panko',
  reads: [...KK_FACTS, 'ipFamily'],
  kkReads: KK_FACTS,
  // `panko-api` is one process, and listens on IPv4 only.
  kk: (facts) => kkService(facts, {serves: ['event'], shares: {api: API}}),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['event'], shares: {api: API}}),
      // Events are kept for ever unless the values limit it, and one machine has no room for that.
      facts.allInOne ? {conf: {panko: {database: {event_time_to_live: DAY}}}} : undefined,
      osloListens(facts.ipFamily, {panko: {api: ['host']}}),
    ),
})
