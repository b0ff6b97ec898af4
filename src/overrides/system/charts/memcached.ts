import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {limits, memoryPart, replicas, spread} from '../shared/sizing.ts'
import {belowGlobal, clusterDomain} from '../shared/trees.ts'

/** The size of the cache on one machine, in MiB, without memcached's own memory. */
const SMALL_CACHE = 64

export const plugin = definePlugin({
  chart: 'memcached',
  reads: ['controllers', 'zones', 'memory', 'dnsDomain', 'ipFamily', 'allInOne'],
  kk: (facts) => {
    const size = facts.allInOne ? SMALL_CACHE : memoryPart(facts.memory, {parts: 64, least: 64, most: 2048})
    return compose(
      replicas(facts.controllers, ['server']),
      spread(facts),
      limits(facts.allInOne, {server: {memory: 2 * SMALL_CACHE, cpu: 500}}),
      ifKnown(size, (limit) => ({conf: {memcached: {'memory-limit': limit}}})),
      facts.ipFamily === 'ipv6' ? {conf: {memcached: {listen: '::'}}} : undefined,
      belowGlobal(clusterDomain(facts.dnsDomain)),
    )
  },
  overrides: (facts) =>
    compose(
      replicas(facts.controllers, ['server']),
      spread(facts),
      limits(facts.allInOne, {memcached: {memory: 2 * SMALL_CACHE, cpu: 500}}),
    ),
})
