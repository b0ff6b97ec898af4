import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {API, fixed, WORKER} from '../shared/sizing.ts'
import {storageOfClient} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

const SHARES = {api: API, scheduler: WORKER, share: WORKER, data: WORKER}

export const plugin = definePlugin({
  chart: 'manila',
  reads: [...KK_FACTS, 'cpus', 'storage', 'ceph', 'ipFamily'],
  kk: (facts) =>
    compose(
      kkService(facts, {
        perController: ['api', 'scheduler'],
        serves: ['sharev2'],
        shares: SHARES,
        wsgi: {manila_api_uwsgi: 8786},
      }),
      // Those of one name take turns at the backend's queue.
      fixed(facts.controllers, 'share', 1),
      fixed(facts.controllers, 'data', 1),
      ifKnown(facts.ceph, () => belowGlobal(storageOfClient(facts))),
    ),
  overrides: (facts) => service(facts, {serves: ['sharev2'], shares: {api: API, scheduler: WORKER}}),
})
