import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {SERVICE_FACTS, service} from '../shared/service.ts'
import {AGENT, fixed, WORKER, workers} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'ceilometer',
  reads: [...SERVICE_FACTS, 'computes', 'cpus'],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['notification'],
        serves: ['metric'],
        shares: {central: WORKER, notification: WORKER, compute: AGENT},
      }),
      // Two pollers without a coordinator would count everything twice.
      fixed(facts.controllers, 'central', 1),
      given(workers(facts), (count) => ({conf: {ceilometer: {notification: {workers: count}}}})),
      given(facts.computes, (count) => ({manifests: {daemonset_compute: count > 0}})),
    ),
})
