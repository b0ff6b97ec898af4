import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {SERVICE_FACTS, service} from '../shared/service.ts'
import {API, fixed, WORKER, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'aodh',
  reads: [...SERVICE_FACTS, 'cpus'],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api', 'listener', 'notifier'],
        serves: ['alarming'],
        shares: {api: API, evaluator: WORKER, listener: WORKER, notifier: WORKER},
      }),
      // Several evaluators share the alarms only through a coordinator, which is not configured here: without, each
      // would evaluate all.
      fixed(facts.controllers, 'evaluator', 1),
      given(workers(facts), (count) => ({
        conf: {aodh: {listener: {workers: count}, notifier: {workers: count}}},
      })),
    ),
})
