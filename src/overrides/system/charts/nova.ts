import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, given} from '../shared/compose.ts'
import {osloListens, SERVICE_FACTS, service, wsgiListens} from '../shared/service.ts'
import {API, daemonPace, WORKER, workers} from '../shared/sizing.ts'
import {cephClient} from '../shared/storage.ts'

export const plugin = definePlugin({
  chart: 'nova',
  reads: [...SERVICE_FACTS, 'computes', 'cpus', 'storage', 'ceph', 'ipFamily'],
  secrets: [
    {
      name: 'compute_metadata.shared_secret',
      kind: 'password',
      path: ['conf', 'nova', 'neutron', 'metadata_proxy_shared_secret'],
    },
    {name: 'ceph.cinder.secret_uuid', kind: 'uuid', path: ['conf', 'ceph', 'cinder', 'secret_uuid']},
  ],
  requires: ['placement'],
  overrides: (facts) =>
    compose(
      service(facts, {
        perController: ['api_metadata', 'osapi', 'conductor', 'scheduler', 'novncproxy'],
        serves: ['compute', 'compute_novnc_proxy', 'network', 'image', 'placement'],
        shares: {api: API, api_metadata: API, conductor: WORKER, scheduler: WORKER, novncproxy: WORKER},
      }),
      given(workers(facts), processes),
      given(facts.computes, (count) => ({manifests: {daemonset_compute: count > 0}})),
      daemonPace(facts.computes, ['compute']),
      cephClient(facts),
      disks(facts),
      listens(facts.ipFamily),
    ),
})

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
 * Returns the place of guests' disks: Ceph, where another node can take a guest over at once, or files on their node.
 */
function disks({storage, ceph}: Pick<Facts, 'storage' | 'ceph'>): Values | undefined {
  return given(storage, (kind) => {
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

function listens(family: Facts['ipFamily']): Values {
  return compose(
    wsgiListens(family, 'http-socket', {nova_api_uwsgi: 8774, nova_metadata_uwsgi: 8775}),
    osloListens(family, {
      nova: {DEFAULT: ['osapi_compute_listen', 'metadata_listen'], vnc: ['novncproxy_host', 'server_listen']},
    }),
  )
}
