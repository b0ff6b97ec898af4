// Made by `npm run charts` from the plugins in charts/ beside it, and from kk's own charts.
import type {Plugin} from './plugin.ts'

export const plugins: Readonly<Record<string, () => Promise<{readonly plugin: Plugin}>>> = {
  aodh: () => import('./charts/aodh.ts'),
  barbican: () => import('./charts/barbican.ts'),
  ceilometer: () => import('./charts/ceilometer.ts'),
  cinder: () => import('./charts/cinder.ts'),
  fm: () => import('./charts/fm.ts'),
  glance: () => import('./charts/glance.ts'),
  gnocchi: () => import('./charts/gnocchi.ts'),
  heat: () => import('./charts/heat.ts'),
  horizon: () => import('./charts/horizon.ts'),
  ingress: () => import('./charts/ingress.ts'),
  ironic: () => import('./charts/ironic.ts'),
  keystone: () => import('./charts/keystone.ts'),
  libvirt: () => import('./charts/libvirt.ts'),
  magnum: () => import('./charts/magnum.ts'),
  mariadb: () => import('./charts/mariadb.ts'),
  memcached: () => import('./charts/memcached.ts'),
  murano: () => import('./charts/murano.ts'),
  neutron: () => import('./charts/neutron.ts'),
  nova: () => import('./charts/nova.ts'),
  'nova-api-proxy': () => import('./charts/nova-api-proxy.ts'),
  openvswitch: () => import('./charts/openvswitch.ts'),
  panko: () => import('./charts/panko.ts'),
  placement: () => import('./charts/placement.ts'),
  rabbitmq: () => import('./charts/rabbitmq.ts'),
  'rbd-provisioner': () => import('./charts/rbd-provisioner.ts'),
}

/** The passwords and keys that kk's own charts look up, where a name is all that is known of one. */
export const credentials: Readonly<Record<string, readonly string[]>> = {
  glance: [
    'oslo_db.admin.password',
    'oslo_db.glance.password',
    'oslo_messaging.admin.password',
    'identity.admin.password',
    'identity.glance.password',
    'oslo_cache.memcache_secret_key',
  ],
  horizon: ['dashboard.secret_key'],
  keystone: [
    'oslo_db.admin.password',
    'oslo_db.keystone.password',
    'oslo_messaging.admin.password',
    'identity.admin.password',
  ],
  mariadb: ['oslo_db.admin.password'],
  neutron: [
    'oslo_db.admin.password',
    'oslo_db.neutron.password',
    'oslo_messaging.admin.password',
    'identity.admin.password',
    'identity.neutron.password',
    'identity.nova.password',
    'oslo_cache.memcache_secret_key',
    'compute_metadata.shared_secret',
  ],
  placement: [
    'oslo_db.admin.password',
    'oslo_db.placement.password',
    'identity.admin.password',
    'identity.placement.password',
    'oslo_cache.memcache_secret_key',
  ],
  rabbitmq: ['oslo_messaging.admin.password', 'oslo_messaging.erlang_cookie'],
  tempest: ['identity.admin.password'],
}
