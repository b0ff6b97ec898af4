import type {Values} from '../../../base/values.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, osloListens, service} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

const SHARES = {api: API, conductor: WORKER}

/** The sections of magnum's clients of other services. */
const CLIENTS = ['barbican', 'cinder', 'glance', 'heat', 'neutron', 'nova', 'magnum']

export const plugin = definePlugin({
  chart: 'magnum',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  secrets: [],
  kk: (facts) =>
    compose(
      kkService(facts, {serves: ['container_infra'], shares: SHARES, wsgi: {magnum_api_uwsgi: 9511}}),
      ifKnown(workers(facts), (count) => ({conf: {magnum: {conductor: {workers: count}}}})),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['container_infra', 'orchestration'], shares: SHARES}),
      ifKnown(facts.region, clientRegions),
      ifKnown(workers(facts), (count) => ({
        conf: {magnum: {api: {workers: count}, conductor: {workers: count}}},
      })),
      osloListens(facts.ipFamily, {magnum: {api: ['host']}}),
    ),
})

function clientRegions(region_name: string): Values {
  return {conf: {magnum: Object.fromEntries(CLIENTS.map((client) => [`${client}_client`, {region_name}]))}}
}
