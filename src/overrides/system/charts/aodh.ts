import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {API, fixed, WORKER, workers} from '../shared/sizing.ts'

const SHARES = {api: API, evaluator: WORKER, listener: WORKER, notifier: WORKER}

export const plugin = definePlugin({
  chart: 'aodh',
  reads: [...KK_FACTS, 'cpus', 'ipFamily'],
  kk: (facts) =>
    compose(
      kkService(facts, {serves: ['alarming'], shares: SHARES, wsgi: {aodh_api_uwsgi: 8042}}),
      ifKnown(workers(facts), (count) => ({
        conf: {aodh: {listener: {workers: count}, notifier: {workers: count}}},
      })),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {perController: ['api', 'listener', 'notifier'], serves: ['alarming'], shares: SHARES}),
      // Several evaluators share the alarms only through a coordinator, which is not configured here:
      // without, each would evaluate all.
      fixed(facts.controllers, 'evaluator', 1),
      ifKnown(workers(facts), (count) => ({
        conf: {aodh: {listener: {workers: count}, notifier: {workers: count}}},
      })),
    ),
})
