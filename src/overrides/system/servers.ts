import {dig, digText} from '../../base/dig.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {DialectChart} from '../../charts/dialect.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {accountSecrets} from './accounts.ts'
import {compose} from './shared/compose.ts'

/**
 * The server of a shared service, and its administrator. Its chart is unknown if another environment has it.
 */
interface Server {
  readonly release: ReleaseId
  /** The key among endpoints: `oslo_db`. */
  readonly endpoint: string
  readonly host: string
  readonly administrator: string
}

/** The charts that serve an endpoint, as kk and openstack-helm name them. */
export const SERVERS: Readonly<Record<string, string>> = {
  oslo_db: 'mariadb',
  oslo_messaging: 'rabbitmq',
  oslo_cache: 'memcached',
  identity: 'keystone',
  coordination: 'valkey',
  ceph_mon: 'ceph',
}
/** The endpoints that charts of both dialects use. */
const SHARED = ['oslo_db', 'oslo_messaging', 'oslo_cache', 'identity']
/** The administrators, as in `common.context.catalogue` of kk's charts. */
const ADMINISTRATORS: Readonly<Record<string, string>> = {
  oslo_db: 'root',
  oslo_messaging: 'openstack',
  identity: 'admin',
}

/** Returns the endpoint that a chart of this name serves to others, in both dialects. */
export function servedEndpoint(chart: string): string | undefined {
  return SHARED.find((endpoint) => SERVERS[endpoint] === chart)
}

/** Returns true if one of these releases serves an endpoint. */
export function isServed(endpoint: string, charts: ReadonlyMap<ReleaseId, DialectChart>): boolean {
  return listServers(endpoint, charts).length > 0
}

/**
 * Returns the values that a chart of openstack-helm needs to reach a server, made by a chart of kk's own, of
 * another environment; undefined for a chart that does not use it, or of the other dialect.
 */
export function serverElsewhere(
  asker: ReleaseId,
  chart: DialectChart,
  server: Pick<Server, 'release' | 'endpoint' | 'host'>,
): Values | undefined {
  if (chart.dialect !== 'openstack-helm' || !isMap(chart.endpoints[server.endpoint])) return undefined
  const administrator = ADMINISTRATORS[server.endpoint] ?? ''
  return compose(serverInToolkitDialect(asker, chart, {...server, administrator}))
}

/**
 * Returns the values that a release needs to reach shared services whose charts are of the other dialect,
 * because their hosts and administrators have other names. A service is omitted if no release, or several, of
 * the environment provide it.
 */
export function foreignServers(asker: ReleaseId, charts: ReadonlyMap<ReleaseId, DialectChart>): Values {
  const chart = charts.get(asker)
  if (chart?.dialect === undefined) return {}
  const parts = SHARED.map((endpoint) => {
    const [server, ...rest] = listServers(endpoint, charts)
    if (!server || rest.length > 0 || charts.get(server.release)!.dialect === chart.dialect) return undefined
    return chart.dialect === 'kk'
      ? serverInKkDialect(asker, chart, server)
      : serverInToolkitDialect(asker, chart, server)
  })
  return compose(...parts)
}

function listServers(endpoint: string, charts: ReadonlyMap<ReleaseId, DialectChart>): readonly Server[] {
  return [...charts].flatMap(([release, chart]): readonly Server[] => {
    if (chart.dialect === 'kk') {
      const components = Object.entries(chart.values.components ?? {})
      const [name] = components.find(([, each]) => dig(each, 'endpoint') === endpoint) ?? []
      if (name === undefined) return []
      const administrator = ADMINISTRATORS[endpoint] ?? ''
      return [{release, endpoint, host: `${releaseName(release)}-${name}`, administrator}]
    }
    const isServer = SERVERS[endpoint] === chart.name
    const entry = dig(chart.endpoints, endpoint)
    const host = digText(entry, 'hosts', 'internal') ?? digText(entry, 'hosts', 'default')
    if (chart.dialect !== 'openstack-helm' || !isServer || host === undefined) return []
    const administrator =
      digText(entry, 'auth', 'admin', 'username') ?? digText(entry, 'auth', 'user', 'username') ?? ''
    return [{release, endpoint, host, administrator}]
  })
}

function serverInKkDialect(asker: ReleaseId, chart: DialectChart, server: Server): Values | undefined {
  const {endpoint} = server
  const names = accountSecrets(chart).map(({name}) => name)
  const isAdministrator = names.includes(`${endpoint}.admin.password`)
  const isUsed = names.some((name) => name.startsWith(`${endpoint}.`))
  // A chart may reach these services without a password; an unused host is harmless.
  if (!isUsed && endpoint !== 'oslo_cache' && endpoint !== 'identity') return undefined
  return {
    global: {
      endpoints: {
        [endpoint]: {
          hosts: {default: server.host},
          namespace: otherNamespace(asker, server),
          auth: isAdministrator ? {admin: {username: server.administrator}} : {},
        },
      },
    },
  }
}

function serverInToolkitDialect(
  asker: ReleaseId,
  {endpoints}: DialectChart,
  server: Server,
): Values | undefined {
  const {endpoint: kind, administrator, host} = server
  const declared = Object.entries(endpoints).filter(([name]) => name === kind || name.startsWith(`${kind}_`))
  const entries = declared.map(([name, entry]): [string, Values] => [
    name,
    {
      hosts: {
        default: host,
        ...(dig(entry, 'hosts', 'internal') !== undefined && {internal: host}),
      },
      namespace: otherNamespace(asker, server),
      auth: dig(entry, 'auth', 'admin') === undefined ? {} : {admin: {username: administrator}},
      // Single members have other names; the Service reaches all of them.
      ...(dig(entry, 'statefulset') !== undefined && {statefulset: null}),
    },
  ])
  return {endpoints: Object.fromEntries(entries)}
}

/** Returns the server's namespace, unless it is also the asker's. */
function otherNamespace(asker: ReleaseId, {release}: Server): string | undefined {
  const namespace = releaseNamespace(release)
  return namespace === releaseNamespace(asker) ? undefined : namespace
}
