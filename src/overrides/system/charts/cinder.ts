import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service, wsgiListens} from '../shared/service.ts'
import {API, fixed, replicas, WORKER, workers} from '../shared/sizing.ts'
import {cephClient, poolReplication, storageOfClient, volumeClass} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

const SHARES = {api: API, scheduler: WORKER, volume: WORKER, backup: WORKER}

type Backend = Pick<Facts, 'storage' | 'defaultStorageClass' | 'ceph' | 'controllers'>

export const plugin = definePlugin({
  chart: 'cinder',
  reads: [...KK_FACTS, 'cpus', 'storage', 'defaultStorageClass', 'ceph', 'ipFamily'],
  secrets: [
    // libvirt keeps Ceph's key under it, and nova and cinder refer to it.
    {name: 'ceph.cinder.secret_uuid', kind: 'uuid', path: ['conf', 'backends', 'rbd1', 'rbd_secret_uuid']},
  ],
  kk: (facts) =>
    compose(
      kkService(facts, {
        perController: ['api', 'scheduler'],
        serves: ['block_storage'],
        shares: SHARES,
        wsgi: {cinder_api_uwsgi: 8776},
      }),
      // Those of one name take turns at the backend's queue; more of them need a coordinator.
      fixed(facts.controllers, 'volume', 1),
      fixed(facts.controllers, 'backup', 1),
      ifKnown(facts.ceph, () => belowGlobal(storageOfClient(facts))),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {perController: ['api', 'scheduler'], serves: ['volumev3'], shares: SHARES}),
      ifKnown(workers(facts), (processes) => ({conf: {cinder_api_uwsgi: {uwsgi: {processes}}}})),
      wsgiListens(facts.ipFamily, 'http-socket', {cinder_api_uwsgi: 8776}),
      cephClient(facts),
      poolReplication(facts, ['backup', 'cinder.volumes']),
      backend(facts),
    ),
})

function backend(facts: Backend): Values | undefined {
  if (facts.storage === undefined) return undefined
  return facts.storage === 'ceph' ? onCeph(facts) : onOneMachine(facts)
}

/** Returns the values for Ceph, where every volume service reaches all volumes. */
function onCeph({ceph, controllers}: Backend): Values {
  return compose(
    {
      storage: 'ceph',
      conf: {
        cinder: {
          DEFAULT: {
            enabled_backends: 'rbd1',
            default_volume_type: 'rbd1',
            backup_driver: 'cinder.backup.drivers.ceph.CephBackupDriver',
          },
        },
        backends: {
          rbd1: {
            volume_driver: 'cinder.volume.drivers.rbd.RBDDriver',
            volume_backend_name: 'rbd1',
            rbd_pool: 'cinder.volumes',
            rbd_ceph_conf: '/etc/ceph/ceph.conf',
            rbd_user: ceph?.user ?? 'cinder',
          },
        },
      },
    },
    replicas(controllers, ['volume', 'backup']),
  )
}

/**
 * Returns the values for LVM, whose volume group belongs to one machine; backups go to a volume that outlives
 * its pod.
 */
function onOneMachine(facts: Backend): Values {
  const keeps = facts.storage === 'class'
  return compose(
    {
      storage: 'pvc',
      conf: {
        cinder: {DEFAULT: {enabled_backends: 'lvm', default_volume_type: 'lvm'}},
        backends: {
          rbd1: null,
          lvm: {
            volume_driver: 'cinder.volume.drivers.lvm.LVMVolumeDriver',
            volume_backend_name: 'lvm',
            volume_group: 'cinder-volumes',
            target_helper: 'tgtadm',
          },
        },
      },
      manifests: {job_storage_init: false, deployment_backup: keeps},
    },
    keeps
      ? {conf: {cinder: {DEFAULT: {backup_driver: 'cinder.backup.drivers.posix.PosixBackupDriver'}}}}
      : undefined,
    ifKnown(volumeClass(facts), (class_name) => ({backup: {posix: {volume: {class_name}}}})),
    fixed(facts.controllers, 'volume', 1),
    keeps ? fixed(facts.controllers, 'backup', 1) : undefined,
  )
}
