import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {KK_FACTS, osloListens, service, serviceBelowGlobal} from '../shared/service.ts'
import {API, fixed, limits, replicas, spread, workers} from '../shared/sizing.ts'
import {storage, volumeClass} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

export const plugin = definePlugin({
  chart: 'glance',
  reads: [...KK_FACTS, 'cpus', 'storage', 'defaultStorageClass', 'ceph', 'ipFamily'],
  kk: (facts) =>
    compose(
      // Images in files are on a volume that one pod mounts; images in Ceph can be reached from every pod.
      facts.storage === 'ceph' ? replicas(facts.controllers, ['api']) : fixed(facts.controllers, 'api', 1),
      facts.storage === 'ceph' ? spread(facts) : undefined,
      limits(facts.allInOne, {api: API}),
      given(workers(facts), (count) => ({conf: {glance: {DEFAULT: {workers: count}}}})),
      osloListens(facts.ipFamily, {glance: {DEFAULT: ['bind_host']}}),
      imageStore(facts),
      serviceBelowGlobal(facts, ['image']),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {perController: ['api'], serves: ['image'], shares: {api: API}}),
      given(workers(facts), (count) => ({conf: {glance: {DEFAULT: {workers: count}}}})),
      given(facts.storage, (kind) =>
        kind === 'ceph' ? {storage: 'rbd'} : compose({storage: 'pvc'}, fixed(facts.controllers, 'api', 1)),
      ),
      given(volumeClass(facts), (class_name) =>
        facts.storage === 'ceph' ? undefined : {volume: {class_name}},
      ),
    ),
})

/**
 * Returns the values of the image store: the volume, or Ceph's pool `images` with what a client of Ceph must know. The
 * deployer supplies its keyring.
 */
function imageStore(facts: Pick<Facts, 'storage' | 'defaultStorageClass' | 'ceph'>): Values | undefined {
  if (facts.storage !== 'ceph') return belowGlobal(storage(facts))
  const rbd_store_user = facts.ceph?.user ?? 'glance'
  return compose(
    {
      // Staged images may be lost with their pod.
      global: {storage: {ephemeral: true}},
      conf: {
        glance: {
          DEFAULT: {enabled_backends: 'rbd:rbd'},
          glance_store: {default_backend: 'rbd'},
          rbd: {
            rbd_store_pool: 'images',
            rbd_store_user,
            rbd_store_ceph_conf: '/etc/ceph/ceph.conf',
            rbd_store_chunk_size: 8,
          },
        },
      },
    },
    given(facts.ceph, ({monitors}) => ({
      files: {ceph: {format: 'ini', path: '/etc/ceph/ceph.conf'}},
      conf: {ceph: {global: {mon_host: monitors.join(',')}}},
    })),
  )
}
