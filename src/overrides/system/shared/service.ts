import {isMap, type Values} from '../../../base/values.ts'
import type {DialectChart} from '../../../charts/dialect.ts'
import type {FactName, Facts} from '../../facts/facts.ts'
import {compose, ifKnown} from './compose.ts'
import {API, limits, replicas, type Share, spread, workers} from './sizing.ts'
import {belowGlobal, clusterDomain} from './trees.ts'

/** The facts that decide the overrides of every OpenStack service of openstack-helm. */
export const SERVICE_FACTS = [
  'controllers',
  'zones',
  'publicDomain',
  'tls',
  'allInOne',
] as const satisfies readonly FactName[]

/** The facts that decide the overrides of every service among kk's own charts. */
export const KK_FACTS = [...SERVICE_FACTS, 'region', 'dnsDomain'] as const satisfies readonly FactName[]

interface Service {
  /** Components with one replica per controller; by default those with a share. */
  readonly perController?: readonly string[]
  /** The endpoints of the service itself; all services know the identity endpoint. */
  readonly serves: readonly PublicService[]
  readonly shares: Readonly<Record<string, Share>>
}

/** The port on which each uWSGI server of a chart listens, by the key of its options below `conf`. */
type WsgiPorts = Readonly<Record<string, number>>

/** Returns the overrides of every OpenStack service; its plugin adds its own. */
export function service(
  facts: Pick<Facts, (typeof SERVICE_FACTS)[number]>,
  {serves, shares, perController = Object.keys(shares)}: Service,
): Values {
  return compose(
    replicas(facts.controllers, perController),
    spread(facts),
    limits(facts.allInOne, shares),
    publicEndpoints(facts, publicNames(serves)),
  )
}

/** Returns the overrides of every OpenStack service among kk's own charts; its plugin adds its own. */
export function kkService(
  facts: Pick<Facts, (typeof KK_FACTS)[number] | 'cpus' | 'ipFamily'>,
  {serves, shares, perController = Object.keys(shares), wsgi = {}}: Service & {readonly wsgi?: WsgiPorts},
): Values {
  return compose(
    replicas(facts.controllers, perController),
    spread(facts),
    limits(facts.allInOne, shares),
    ifKnown(workers(facts), (processes) => {
      return {conf: Object.fromEntries(Object.keys(wsgi).map((file) => [file, {uwsgi: {processes}}]))}
    }),
    wsgiListens(facts.ipFamily, 'http', wsgi),
    serviceBelowGlobal(facts, serves),
  )
}

/** Returns the values that kk's own charts of services read below `global`. */
export function serviceBelowGlobal(
  facts: PublicFacts & Pick<Facts, 'region' | 'dnsDomain'>,
  serves: Service['serves'],
): Values | undefined {
  return namedBelowGlobal(facts, publicNames(serves))
}

function namedBelowGlobal(
  facts: PublicFacts & Pick<Facts, 'region' | 'dnsDomain'>,
  names: PublicNames,
): Values | undefined {
  return belowGlobal(
    ifKnown(facts.region, (region) => ({region})),
    publicEndpoints(facts, names),
    clusterDomain(facts.dnsDomain),
  )
}

/**
 * Returns the overrides of a chart of kk's own without a plugin file: each of its components that serves an
 * endpoint and has no storage gets one replica per controller.
 */
export function serviceWithoutPlugin(
  facts: Pick<Facts, (typeof KK_FACTS)[number]>,
  {name: chart, values: {components, serves}}: DialectChart,
): Values {
  const all = Object.entries(isMap(components) ? components : {}).filter(([, each]) => isMap(each))
  const served = all.flatMap(([name, component]) => {
    const {endpoint, storage} = component as Values
    return typeof endpoint === 'string' && !storage ? [{name, endpoint}] : []
  })
  const endpoints = served.map(({endpoint}) => endpoint)
  return compose(
    replicas(
      facts.controllers,
      served.map(({name}) => name),
    ),
    served.length > 0 ? spread(facts) : undefined,
    limits(facts.allInOne, Object.fromEntries(all.map(([name]) => [name, API]))),
    namedBelowGlobal(facts, {
      ...publicNames(endpoints.filter(isPublicService)),
      ...statedNames(chart, endpoints, isMap(serves) ? serves : {}),
    }),
  )
}

/**
 * Returns the public names of the HTTP endpoints that a chart states itself (`serves`) and that are not in
 * the table: the stated one (`public`), else the chart's name if there is only one such endpoint, else each
 * endpoint's own.
 */
function statedNames(chart: string, endpoints: readonly string[], serves: Values): PublicNames {
  const ports = endpoints.flatMap((endpoint): readonly [string, string][] => {
    const settings = serves[endpoint]
    if (isPublicService(endpoint) || !isMap(settings) || !isMap(settings.scheme) || !isMap(settings.port))
      return []
    const [port] = Object.keys(settings.port)
    return port !== undefined && /^https?$/.test(String(settings.scheme.default)) ? [[endpoint, port]] : []
  })
  const publicHost = (endpoint: string) => {
    const settings = serves[endpoint]
    if (isMap(settings) && typeof settings.public === 'string') return settings.public
    return ports.length === 1 ? chart : endpoint.replaceAll('_', '-')
  }
  return Object.fromEntries(ports.map(([endpoint, port]) => [endpoint, {host: publicHost(endpoint), port}]))
}

/**
 * The public host name of each service, without the domain, and the name of its port in openstack-helm's
 * values.
 */
const SERVICES = {
  identity: {host: 'keystone', port: 'api'},
  image: {host: 'glance', port: 'api'},
  dashboard: {host: 'horizon', port: 'web'},
  placement: {host: 'placement', port: 'api'},
  compute: {host: 'nova', port: 'api'},
  compute_novnc_proxy: {host: 'novncproxy', port: 'novnc_proxy'},
  compute_proxy: {host: 'nova-api-proxy', port: 'api'},
  network: {host: 'neutron', port: 'api'},
  volumev3: {host: 'cinder', port: 'api'},
  block_storage: {host: 'cinder', port: 'api'},
  orchestration: {host: 'heat', port: 'api'},
  cloudformation: {host: 'cloudformation', port: 'api'},
  baremetal: {host: 'ironic', port: 'api'},
  container_infra: {host: 'magnum', port: 'api'},
  application_catalog: {host: 'murano', port: 'api'},
  alarming: {host: 'aodh', port: 'api'},
  metric: {host: 'gnocchi', port: 'api'},
  event: {host: 'panko', port: 'api'},
  key_manager: {host: 'barbican', port: 'api'},
  faultmanagement: {host: 'fm', port: 'api'},
  dns: {host: 'designate', port: 'api'},
  load_balancer: {host: 'octavia', port: 'api'},
  sharev2: {host: 'manila', port: 'api'},
} as const

type PublicService = keyof typeof SERVICES

interface PublicName {
  readonly host: string
  readonly port: string
}

type PublicNames = Readonly<Record<string, PublicName>>

/** Returns the public names of these endpoints, and of the identity service, which every service knows. */
function publicNames(services: readonly PublicService[]): PublicNames {
  return Object.fromEntries(['identity' as const, ...services].map((service) => [service, SERVICES[service]]))
}

function isPublicService(name: string): name is PublicService {
  return Object.hasOwn(SERVICES, name)
}

type PublicFacts = Pick<Facts, 'publicDomain' | 'tls'>

/**
 * Returns the public side of endpoints: the host `<service>.<domain>` and, if the facts specify TLS, scheme
 * and port of the proxy in front. Without a public domain there is no name for a certificate.
 */
function publicEndpoints({publicDomain, tls}: PublicFacts, names: PublicNames): Values | undefined {
  return ifKnown(publicDomain, (domain) => ({
    endpoints: Object.fromEntries(
      Object.entries(names).map(([endpoint, name]) => [endpoint, publicSide(name, domain, tls)]),
    ),
  }))
}

function publicSide({host, port}: PublicName, domain: string, tls: boolean | undefined) {
  const name = {host_fqdn_override: {public: {host: `${host}.${domain}`}}}
  if (tls === undefined) return name
  return {...name, scheme: {public: tls ? 'https' : 'http'}, port: {[port]: {public: tls ? 443 : 80}}}
}

/** Returns the IPv6 addresses on which the WSGI servers of a chart listen, if there is no IPv4. */
export function wsgiListens(
  family: Facts['ipFamily'],
  option: 'http' | 'http-socket',
  ports: WsgiPorts,
): Values | undefined {
  if (family !== 'ipv6') return undefined
  const files = Object.entries(ports).map(([file, port]) => [file, {uwsgi: {[option]: `[::]:${port}`}}])
  return {conf: Object.fromEntries(files)}
}

/**
 * Returns the IPv6 addresses of servers of oslo.service, if there is no IPv4: `bind_host` at
 * `conf.<file>.<section>`.
 */
export function osloListens(
  family: Facts['ipFamily'],
  options: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): Values | undefined {
  if (family !== 'ipv6') return undefined
  const any = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '::']))
  const files = Object.entries(options).map(([file, sections]) => [
    file,
    Object.fromEntries(Object.entries(sections).map(([section, names]) => [section, any(names)])),
  ])
  return {conf: Object.fromEntries(files)}
}
