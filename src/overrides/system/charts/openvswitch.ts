import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {AGENT, limits, resourcesOf, rollingUpdateOfDaemons, rollingUpdateOfNodes} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'openvswitch',
  reads: ['computes', 'allInOne'],
  // No limit for vswitchd: without it no guest has a network.
  kk: (facts) => compose(limits(facts.allInOne, {db: AGENT}), rollingUpdateOfNodes(facts.computes)),
  overrides: (facts) =>
    compose(
      facts.allInOne
        ? {pod: {resources: {enabled: true, ovs: {db: resourcesOf(AGENT), vswitchd: resourcesOf(AGENT)}}}}
        : undefined,
      rollingUpdateOfDaemons(facts.computes, ['ovs']),
    ),
})
