import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, osloListens, service, serviceBelowGlobal} from '../shared/service.ts'
import {API, limits, replicas, spread, WORKER, workers} from '../shared/sizing.ts'

const COMPONENTS = ['api', 'engine']
const SHARES = {api: API, engine: WORKER}

export const plugin = definePlugin({
  chart: 'murano',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  secrets: [
    // The password of the message bus that its agents inside guests use.
    {name: 'murano.agent_rabbitmq', kind: 'password', path: ['conf', 'murano', 'rabbitmq', 'password']},
  ],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, COMPONENTS),
      spread(facts),
      limits(facts.allInOne, SHARES),
      configuration(facts),
      serviceBelowGlobal(facts, ['application_catalog']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: COMPONENTS,
        serves: ['application_catalog', 'orchestration'],
        shares: SHARES,
      }),
      configuration(facts),
    ),
})

function configuration(facts: Pick<Facts, 'region' | 'cpus' | 'allInOne' | 'ipFamily'>): Values {
  return compose(
    given(facts.region, (home_region) => ({conf: {murano: {DEFAULT: {home_region}}}})),
    given(workers(facts), (count) => ({
      conf: {murano: {murano: {api_workers: count}, engine: {engine_workers: count}}},
    })),
    osloListens(facts.ipFamily, {murano: {DEFAULT: ['bind_host']}}),
  )
}
