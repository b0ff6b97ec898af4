import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, osloListens, service, wsgiListens} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'
import {storage} from '../shared/storage.ts'

const SHARES = {api: API, conductor: WORKER}

export const plugin = definePlugin({
  chart: 'ironic',
  reads: [...KK_FACTS, 'cpus', 'storage', 'defaultStorageClass', 'ipFamily'],
  kk: (facts) =>
    compose(
      kkService(facts, {serves: ['baremetal'], shares: SHARES, wsgi: {ironic_api_uwsgi: 6385}}),
      // The server of the images that machines boot from.
      wsgiListens(facts.ipFamily, 'http', {http: 8089}),
      storage(facts),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['baremetal'], shares: SHARES}),
      ifKnown(workers(facts), (count) => ({conf: {ironic: {api: {api_workers: count}}}})),
      osloListens(facts.ipFamily, {ironic: {api: ['host_ip']}}),
      // Machines fetch images by temporary URLs of Ceph's object store; without it, from the conductor.
      ifKnown(facts.storage, (kind) => ({
        conf: {ironic: {agent: {image_download_source: kind === 'ceph' ? 'swift' : 'http'}}},
        bootstrap: {object_store: {enabled: kind === 'ceph'}},
      })),
    ),
})
