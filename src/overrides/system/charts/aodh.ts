import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, service, serviceBelowGlobal, wsgiListens} from '../shared/service.ts'
import {API, fixed, limits, replicas, spread, WORKER, workers} from '../shared/sizing.ts'

const SHARES = {api: API, evaluator: WORKER, listener: WORKER, notifier: WORKER}

export const plugin = definePlugin({
  chart: 'aodh',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) =>
    compose(
      replicas(facts.controllers, ['api', 'evaluator', 'listener', 'notifier']),
      spread(facts),
      limits(facts.allInOne, SHARES),
      given(workers(facts), (count) => ({
        conf: {
          aodh: {listener: {workers: count}, notifier: {workers: count}},
          aodh_api_uwsgi: {uwsgi: {processes: count}},
        },
      })),
      wsgiListens(facts.ipFamily, 'http', {aodh_api_uwsgi: 8042}),
      serviceBelowGlobal(facts, ['alarming']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'listener', 'notifier'],
        serves: ['alarming'],
        shares: SHARES,
      }),
      // Several evaluators share the alarms only through a coordinator, which is not configured here: without, each
      // would evaluate all.
      fixed(facts.controllers, 'evaluator', 1),
      given(workers(facts), (count) => ({
        conf: {aodh: {listener: {workers: count}, notifier: {workers: count}}},
      })),
    ),
})
