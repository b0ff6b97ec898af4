/** The releases of `environments/cloud.yaml` that those of `environments/catalogue.yaml` require. */
export const REQUIRED_BY_CATALOGUE = [
  'mariadb',
  'rabbitmq',
  'memcached',
  'keystone',
  'openvswitch',
  'ovn',
  'neutron',
  'heat',
  'ceph',
]
