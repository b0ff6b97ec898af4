import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {osloListens, SERVICE_FACTS, service} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'ironic',
  reads: [...SERVICE_FACTS, 'cpus', 'storage', 'ipFamily'],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'conductor'],
        serves: ['baremetal'],
        shares: {api: API, conductor: WORKER},
      }),
      given(workers(facts), (count) => ({conf: {ironic: {api: {api_workers: count}}}})),
      osloListens(facts.ipFamily, {ironic: {api: ['host_ip']}}),
      // Machines fetch images by temporary URLs of Ceph's object store; without it, from the conductor.
      given(facts.storage, (kind) => ({
        conf: {ironic: {agent: {image_download_source: kind === 'ceph' ? 'swift' : 'http'}}},
        bootstrap: {object_store: {enabled: kind === 'ceph'}},
      })),
    ),
})
