import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, osloListens, service, serviceBelowGlobal} from '../shared/service.ts'
import {API, fixed, limits, replicas, spread, workers} from '../shared/sizing.ts'
import {storageOfClient, volumeClass} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

export const plugin = definePlugin({
  chart: 'glance',
  reads: [...KK_FACTS, 'cpus', 'storage', 'defaultStorageClass', 'ceph', 'ipFamily'],
  kk: (facts) =>
    compose(
      // The chart runs one, if images are in files on a volume that one pod mounts.
      replicas(facts.controllers, ['api']),
      spread(facts),
      limits(facts.allInOne, {api: API}),
      ifKnown(workers(facts), (count) => ({conf: {glance: {DEFAULT: {workers: count}}}})),
      osloListens(facts.ipFamily, {glance: {DEFAULT: ['bind_host']}}),
      belowGlobal(storageOfClient(facts)),
      serviceBelowGlobal(facts, ['image']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {serves: ['image'], shares: {api: API}}),
      ifKnown(workers(facts), (count) => ({conf: {glance: {DEFAULT: {workers: count}}}})),
      ifKnown(facts.storage, (kind) =>
        kind === 'ceph' ? {storage: 'rbd'} : compose({storage: 'pvc'}, fixed(facts.controllers, 'api', 1)),
      ),
      ifKnown(volumeClass(facts), (class_name) =>
        facts.storage === 'ceph' ? undefined : {volume: {class_name}},
      ),
    ),
})
