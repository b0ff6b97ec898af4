import type {Values} from '../../../release.ts'
import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {osloListens, SERVICE_FACTS, service} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

/** The sections of magnum's clients of other services. */
const CLIENTS = ['barbican', 'cinder', 'glance', 'heat', 'neutron', 'nova', 'magnum']

export const plugin = definePlugin({
  chart: 'magnum',
  reads: [...SERVICE_FACTS, 'region', 'cpus', 'ipFamily'],
  secrets: [],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'conductor'],
        serves: ['container_infra', 'orchestration'],
        shares: {api: API, conductor: WORKER},
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
