import type {Values} from '../../base/values.ts'
import {type DialectChart, valuesAt} from '../../charts/dialect.ts'
import {credentials} from './table.ts'

/**
 * The deviations of a service of openstack-helm from the default: a database, the bus, the cache, one account
 * of its name.
 */
interface Service {
  readonly without?: readonly ('oslo_db' | 'oslo_messaging' | 'oslo_cache')[]
  /** Its accounts in keystone. */
  readonly identity?: readonly string[]
  /** Further databases of the service. */
  readonly databases?: readonly string[]
}

/** The services of openstack-helm and StarlingX, as their charts declare them (2026.1.0). */
const SERVICES: Readonly<Record<string, Service>> = {
  aodh: {},
  barbican: {},
  blazar: {},
  ceilometer: {without: ['oslo_db']},
  cinder: {identity: ['cinder', 'nova']},
  cloudkitty: {},
  cyborg: {},
  designate: {},
  fm: {without: ['oslo_messaging']},
  freezer: {without: ['oslo_messaging']},
  gnocchi: {without: ['oslo_messaging']},
  heat: {identity: ['heat', 'heat_trustee', 'heat_stack_user']},
  ironic: {identity: ['ironic', 'glance']},
  magnum: {identity: ['magnum', 'magnum_stack_user']},
  manila: {},
  masakari: {},
  mistral: {},
  murano: {},
  neutron: {identity: ['neutron', 'nova', 'placement']},
  nova: {
    identity: ['nova', 'neutron', 'placement', 'cinder', 'ironic'],
    databases: ['oslo_db_api', 'oslo_db_cell0'],
  },
  'nova-api-proxy': {without: ['oslo_db', 'oslo_messaging', 'oslo_cache'], identity: ['nova']},
  octavia: {},
  panko: {without: ['oslo_messaging']},
  rally: {without: ['oslo_messaging']},
  skyline: {without: ['oslo_messaging']},
  swift: {without: ['oslo_db', 'oslo_messaging']},
  tacker: {},
  tempest: {without: ['oslo_db', 'oslo_messaging']},
  trove: {},
  watcher: {},
  zaqar: {without: ['oslo_messaging']},
}

/**
 * Returns the assumed declarations of a chart of this name, for callers without an environment that has it.
 */
export function assumedChart(name: string, dialect: 'kk' | 'openstack-helm'): DialectChart {
  const values: Values =
    dialect === 'kk' ? {credential: namedCredentials(name)} : {endpoints: listEndpoints(name)}
  return {name, dialect, values, ...valuesAt(values), templates: undefined}
}

function namedCredentials(name: string): Values {
  const names = Object.hasOwn(credentials, name) ? credentials[name]! : []
  return Object.fromEntries(names.map((credential) => [credential, {credential}]))
}

function listEndpoints(name: string): Values {
  // The chart reads none of openstack-helm's values.
  if (name === 'rbd-provisioner') return {}
  const service = Object.hasOwn(SERVICES, name) ? SERVICES[name] : undefined
  if (!service) return {cluster_domain_suffix: ''}
  const {without = [], identity = [name], databases = []} = service
  const entries: Values = {
    oslo_db: {auth: accounts([name])},
    oslo_messaging: {auth: accounts([name]), statefulset: {}},
    oslo_cache: {auth: {memcache_secret_key: ''}},
  }
  return {
    cluster_domain_suffix: '',
    identity: {auth: accounts(identity)},
    ...Object.fromEntries(databases.map((database) => [database, {auth: accounts([name])}])),
    ...Object.fromEntries(Object.entries(entries).filter(([key]) => !without.some((each) => each === key))),
  }
}

function accounts(names: readonly string[]): Values {
  return Object.fromEntries(['admin', ...names].map((name) => [name, {password: '', region_name: ''}]))
}
