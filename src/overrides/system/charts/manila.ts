import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
import {API, fixed, limits, replicas, spread, WORKER, workers} from '../shared/sizing.ts'
import {storageOfClient} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

const SHARES = {api: API, scheduler: WORKER, share: WORKER, data: WORKER}

export const plugin = definePlugin({
  chart: 'manila',
  reads: [...KK_FACTS, 'cpus', 'storage', 'ceph', 'ipFamily'],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['api', 'scheduler']),
      // Those of one name take turns at the backend's queue.
      fixed(facts.controllers, 'share', 1),
      fixed(facts.controllers, 'data', 1),
      spread(facts),
      limits(facts.allInOne, SHARES),
      given(workers(facts), (processes) => ({conf: {manila_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http', {manila_api_uwsgi: 8786}),
      serviceBelowGlobal(facts, ['sharev2']),
      given(facts.ceph, () => belowGlobal(storageOfClient(facts))),
    ),
  overrides: (facts) =>
    service(facts, {
      perController: ['api', 'scheduler'],
      serves: ['sharev2'],
      shares: {api: API, scheduler: WORKER},
    }),
})
