import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service, wsgiListens} from '../shared/service.ts'
import {API, WORKER, workers} from '../shared/sizing.ts'
import {belowGlobal, ovnMembers} from '../shared/trees.ts'

export const plugin = definePlugin({
  chart: 'octavia',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) =>
    compose(
      kkService(facts, {
        serves: ['load_balancer'],
        shares: {api: API, housekeeping: WORKER},
        wsgi: {octavia_api_uwsgi: 9876},
      }),
      belowGlobal(ovnMembers(facts)),
    ),
  overrides: (facts) =>
    compose(
      // Its workers and health managers are DaemonSets.
      service(facts, {
        perController: ['api', 'driver_agent', 'housekeeping'],
        serves: ['load_balancer'],
        shares: {
          api: API,
          driver_agent: WORKER,
          worker: WORKER,
          housekeeping: WORKER,
          health_manager: WORKER,
        },
      }),
      ifKnown(workers(facts), (processes) => ({conf: {octavia_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http-socket', {octavia_api_uwsgi: 9876}),
    ),
})
