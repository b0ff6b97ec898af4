import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, osloListens, service} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

const SHARES = {api: API, engine: WORKER}

export const plugin = definePlugin({
  chart: 'murano',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  secrets: [
    // The password of the message bus that its agents inside guests use.
    {name: 'murano.agent_rabbitmq', kind: 'password', path: ['conf', 'murano', 'rabbitmq', 'password']},
  ],
  kk: (facts) =>
    compose(kkService(facts, {serves: ['application_catalog'], shares: SHARES}), configuration(facts)),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['application_catalog', 'orchestration'], shares: SHARES}),
      configuration(facts),
    ),
})

function configuration(facts: Pick<Facts, 'region' | 'cpus' | 'allInOne' | 'ipFamily'>): Values {
  return compose(
    ifKnown(facts.region, (home_region) => ({conf: {murano: {DEFAULT: {home_region}}}})),
    ifKnown(workers(facts), (count) => ({
      conf: {murano: {murano: {api_workers: count}, engine: {engine_workers: count}}},
    })),
    osloListens(facts.ipFamily, {murano: {DEFAULT: ['bind_host']}}),
  )
}
