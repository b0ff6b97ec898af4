import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, osloListens, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
import {API, limits, replicas, spread, WORKER, workers} from '../shared/sizing.ts'
import {storage} from '../shared/storage.ts'

const SHARES = {api: API, conductor: WORKER}

export const plugin = definePlugin({
  chart: 'ironic',
  reads: [...KK_FACTS, 'cpus', 'storage', 'defaultStorageClass', 'ipFamily'],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['api', 'conductor']),
      spread(facts),
      limits(facts.allInOne, SHARES),
      given(workers(facts), (processes) => ({conf: {ironic_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http', {ironic_api_uwsgi: 6385, http: 8089}),
      storage(facts),
      serviceBelowGlobal(facts, ['baremetal']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'conductor'],
        serves: ['baremetal'],
        shares: SHARES,
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
