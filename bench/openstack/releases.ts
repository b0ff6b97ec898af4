/** A release of the benchmark's cloud: its requirements, and the seconds from its start until it is ready. */
export interface CloudRelease {
  readonly requires: readonly string[]
  readonly seconds: number
}

/**
 * OpenStack's graph: 35 charts of openstack-helm, with the requirements in their values
 * (`dependencies.static` and `endpoints`, commit 0ee5adeff; nova waits for neutron only at run time). The
 * seconds are assumed: databases and migrations of large ones take long.
 */
export const CLOUD: Readonly<Record<string, CloudRelease>> = {
  mariadb: {requires: [], seconds: 30},
  rabbitmq: {requires: [], seconds: 20},
  memcached: {requires: [], seconds: 5},
  postgresql: {requires: [], seconds: 15},
  libvirt: {requires: [], seconds: 10},
  openvswitch: {requires: [], seconds: 10},
  ovn: {requires: ['openvswitch'], seconds: 10},
  powerdns: {requires: ['mariadb'], seconds: 10},
  keystone: {requires: ['mariadb', 'memcached', 'rabbitmq'], seconds: 25},
  aodh: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 10},
  barbican: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 15},
  blazar: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 10},
  ceilometer: {requires: ['gnocchi', 'keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 10},
  cinder: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 25},
  cloudkitty: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 15},
  cyborg: {requires: ['keystone', 'mariadb', 'memcached', 'placement', 'rabbitmq'], seconds: 10},
  designate: {requires: ['keystone', 'mariadb', 'memcached', 'powerdns', 'rabbitmq'], seconds: 20},
  glance: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 15},
  gnocchi: {requires: ['keystone', 'mariadb', 'memcached', 'postgresql'], seconds: 20},
  heat: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 30},
  horizon: {requires: ['keystone', 'mariadb', 'memcached'], seconds: 10},
  ironic: {requires: ['keystone', 'mariadb', 'memcached', 'neutron', 'rabbitmq'], seconds: 25},
  magnum: {requires: ['barbican', 'heat', 'keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 15},
  manila: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 20},
  masakari: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 15},
  mistral: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 20},
  neutron: {requires: ['keystone', 'mariadb', 'memcached', 'nova', 'openvswitch', 'rabbitmq'], seconds: 20},
  nova: {
    requires: ['glance', 'keystone', 'libvirt', 'mariadb', 'memcached', 'placement', 'rabbitmq'],
    seconds: 30,
  },
  octavia: {requires: ['keystone', 'mariadb', 'memcached', 'neutron', 'rabbitmq'], seconds: 20},
  placement: {requires: ['keystone', 'mariadb', 'memcached'], seconds: 10},
  skyline: {requires: ['keystone', 'mariadb'], seconds: 5},
  tacker: {requires: ['barbican', 'keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 40},
  trove: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 25},
  watcher: {requires: ['keystone', 'mariadb', 'memcached', 'rabbitmq'], seconds: 15},
  zaqar: {requires: ['keystone', 'mariadb', 'memcached'], seconds: 10},
}
