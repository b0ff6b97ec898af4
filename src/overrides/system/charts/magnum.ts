import type {Values} from '../../../base/values.ts'
import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, osloListens, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
import {API, limits, replicas, spread, WORKER, workers} from '../shared/sizing.ts'

const SHARES = {api: API, conductor: WORKER}

/** The sections of magnum's clients of other services. */
const CLIENTS = ['barbican', 'cinder', 'glance', 'heat', 'neutron', 'nova', 'magnum']

export const plugin = definePlugin({
  chart: 'magnum',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  secrets: [],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['api', 'conductor']),
      spread(facts),
      limits(facts.allInOne, SHARES),
      given(workers(facts), (count) => ({
        conf: {magnum: {conductor: {workers: count}}, magnum_api_uwsgi: {uwsgi: {processes: count}}},
      })),
      wsgiListens(facts.ipFamily, 'http', {magnum_api_uwsgi: 9511}),
      serviceBelowGlobal(facts, ['container_infra']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'conductor'],
        serves: ['container_infra', 'orchestration'],
        shares: SHARES,
      }),
      given(facts.region, clientRegions),
      given(workers(facts), (count) => ({
        conf: {magnum: {api: {workers: count}, conductor: {workers: count}}},
      })),
      osloListens(facts.ipFamily, {magnum: {api: ['host']}}),
    ),
})

function clientRegions(region_name: string): Values {
  return {conf: {magnum: Object.fromEntries(CLIENTS.map((client) => [`${client}_client`, {region_name}]))}}
}
