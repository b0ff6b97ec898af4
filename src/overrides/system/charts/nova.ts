import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, osloListens, service, wsgiListens} from '../shared/service.ts'
import {
  API,
  memoryPart,
  rollingUpdateOfDaemons,
  rollingUpdateOfNodes,
  WORKER,
  workers,
} from '../shared/sizing.ts'
import {cephClient, storageOfClient} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

export const plugin = definePlugin({
  chart: 'nova',
  reads: [...KK_FACTS, 'computes', 'cpus', 'memory', 'storage', 'ceph', 'ipFamily'],
  secrets: [
    {
      name: 'compute_metadata.shared_secret',
      kind: 'password',
      path: ['conf', 'nova', 'neutron', 'metadata_proxy_shared_secret'],
    },
    {name: 'ceph.cinder.secret_uuid', kind: 'uuid', path: ['conf', 'ceph', 'cinder', 'secret_uuid']},
  ],
  requires: ['placement'],
  kk: (facts) =>
    compose(
      kkService(facts, {
        serves: ['compute', 'compute_novnc_proxy'],
        // No limit for nova-compute: it makes disks of images.
        shares: {api: API, metadata: API, conductor: WORKER, scheduler: WORKER, novncproxy: WORKER},
        wsgi: {nova_api_uwsgi: 8774, nova_metadata_uwsgi: 8775},
      }),
      ifKnown(workers(facts), (processes) => ({conf: {nova: {conductor: {workers: processes}}}})),
      ifKnown(memoryOfOthers(facts), (reserved_host_memory_mb) => ({
        conf: {nova: {DEFAULT: {reserved_host_memory_mb}}},
      })),
      rollingUpdateOfNodes(facts.computes),
      osloListens(facts.ipFamily, {nova: {vnc: ['novncproxy_host']}}),
      ifKnown(facts.ceph, () => belowGlobal(storageOfClient(facts))),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api_metadata', 'osapi', 'conductor', 'scheduler', 'novncproxy'],
        serves: ['compute', 'compute_novnc_proxy', 'network', 'image', 'placement'],
        shares: {api: API, api_metadata: API, conductor: WORKER, scheduler: WORKER, novncproxy: WORKER},
      }),
      ifKnown(workers(facts), processes),
      ifKnown(facts.computes, (count) => ({manifests: {daemonset_compute: count > 0}})),
      rollingUpdateOfDaemons(facts.computes, ['compute']),
      cephClient(facts),
      disks(facts),
      ipv6Listeners(facts.ipFamily),
    ),
})

/** Returns the memory in MiB that is reserved for services on a shared machine; undefined elsewhere. */
function memoryOfOthers({memory, allInOne}: Pick<Facts, 'memory' | 'allInOne'>): number | undefined {
  return allInOne ? memoryPart(memory, {parts: 2, least: 2048, most: 8192}) : undefined
}

function processes(count: number): Values {
  return {
    conf: {
      nova: {
        DEFAULT: {osapi_compute_workers: count, metadata_workers: count},
        conductor: {workers: count},
        scheduler: {workers: count},
      },
    },
  }
}

/**
 * Returns the location of guests' disks: Ceph, which allows evacuation to another node, or files on their
 * node.
 */
function disks({storage, ceph}: Pick<Facts, 'storage' | 'ceph'>): Values | undefined {
  return ifKnown(storage, (kind) => {
    if (kind !== 'ceph') return {conf: {nova: {libvirt: {images_type: 'qcow2'}}}}
    return {
      conf: {
        nova: {
          libvirt: {
            images_type: 'rbd',
            images_rbd_pool: 'vms',
            images_rbd_ceph_conf: '/etc/ceph/ceph.conf',
            rbd_user: ceph?.user ?? 'cinder',
            disk_cachemodes: 'network=writeback',
          },
        },
      },
    }
  })
}

function ipv6Listeners(family: Facts['ipFamily']): Values {
  return compose(
    wsgiListens(family, 'http-socket', {nova_api_uwsgi: 8774, nova_metadata_uwsgi: 8775}),
    osloListens(family, {
      nova: {DEFAULT: ['osapi_compute_listen', 'metadata_listen'], vnc: ['novncproxy_host', 'server_listen']},
    }),
  )
}
