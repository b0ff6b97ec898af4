import {definePlugin} from '../plugin.ts'
import {compose} from '../shared/compose.ts'
import {AGENT, resourcesOf} from '../shared/limits.ts'
import {daemonPace} from '../shared/pace.ts'
import {clusterDomain} from '../shared/trees.ts'

export const plugin = definePlugin({
  chart: 'openvswitch',
  reads: ['computes', 'dnsDomain', 'allInOne'],
  overrides: (facts) =>
    compose(
      facts.allInOne
        ? {pod: {resources: {enabled: true, ovs: {db: resourcesOf(AGENT), vswitchd: resourcesOf(AGENT)}}}}
        : undefined,
      daemonPace(facts.computes, ['ovs']),
      clusterDomain(facts.dnsDomain),
    ),
})
