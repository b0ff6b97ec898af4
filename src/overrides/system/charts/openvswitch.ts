import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {AGENT, daemonPace, resourcesOf} from '../shared/sizing.ts'

export const plugin = definePlugin({
  chart: 'openvswitch',
  reads: ['computes', 'allInOne'],
  overrides: (facts) =>
    compose(
      facts.allInOne
        ? {pod: {resources: {enabled: true, ovs: {db: resourcesOf(AGENT), vswitchd: resourcesOf(AGENT)}}}}
        : undefined,
      daemonPace(facts.computes, ['ovs']),
    ),
})
