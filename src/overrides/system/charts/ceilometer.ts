import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {AGENT, fixed, WORKER, workers} from '../shared/sizing.ts'

const SHARES = {central: WORKER, notification: WORKER, compute: AGENT}

export const plugin = definePlugin({
  chart: 'ceilometer',
  reads: [...KK_FACTS, 'computes', 'cpus'],
  kk: (facts) =>
    compose(
      kkService(facts, {perController: ['central', 'notification'], serves: [], shares: SHARES}),
      ifKnown(workers(facts), (count) => ({conf: {ceilometer: {notification: {workers: count}}}})),
      ifKnown(facts.computes, (count) => ({manifests: {daemonset_compute: count > 0}})),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {perController: ['notification'], serves: ['metric'], shares: SHARES}),
      // Two pollers without a coordinator would count everything twice.
      fixed(facts.controllers, 'central', 1),
      ifKnown(workers(facts), (count) => ({conf: {ceilometer: {notification: {workers: count}}}})),
      ifKnown(facts.computes, (count) => ({manifests: {daemonset_compute: count > 0}})),
    ),
})
