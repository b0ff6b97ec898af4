import {dig, digText} from '../base/dig.ts'
import {asKkError} from '../base/errors.ts'
import {isMap} from '../base/values.ts'
import type {DialectChart} from '../charts/dialect.ts'
import {parseManifest} from '../kubernetes/manifest/manifest.ts'
import {isInstalled} from '../kubernetes/records/record.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../kubernetes/records/release-record.ts'
import {mergedValues} from '../overrides/layers.ts'
import {isServed, servedEndpoint, serverElsewhere} from '../overrides/system/servers.ts'
import {readLabels} from '../plan/labels.ts'
import {recordedChart} from '../plan/recorded-chart.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import type {Prepared} from './prepare.ts'

/**
 * A server of another environment, and the releases of this one that would connect to it under another name.
 */
interface Server {
  readonly endpoint: string
  readonly record: ReleaseRecord
  readonly clients: readonly Client[]
}

interface Client {
  readonly release: ReleaseId
  readonly chart: DialectChart
}

/**
 * Returns a note for each chart of openstack-helm that uses a database, message bus, cache or keystone of
 * another environment, installed by one of kk's own charts, and connects to a host name that does not exist.
 * Within one environment, plugins set host and administrator; another environment never determines values.
 * Reads the record of each such server; records that may not be read are skipped.
 */
export async function serversElsewhereNotes(
  prepared: Pick<Prepared, 'releases' | 'graph' | 'plugins' | 'environment'>,
  records: readonly ReleaseRecord[],
  cluster: {readonly records: Records},
): Promise<readonly string[]> {
  const notes: string[] = []
  for (const server of serversElsewhere(prepared, records)) {
    const stored = await readable(cluster.records, server.record)
    if (!stored || !isFromKkChart(stored)) continue
    const hosts = clientServices(stored)
    for (const client of server.clients) notes.push(...serverNote(client, server, hosts))
  }
  return notes
}

/**
 * Returns the servers of other environments that releases here use, unless one of them serves the same
 * endpoint.
 */
function serversElsewhere(
  {releases, graph, plugins, environment}: Pick<Prepared, 'releases' | 'graph' | 'plugins' | 'environment'>,
  records: readonly ReleaseRecord[],
): readonly Server[] {
  const candidates = records.filter(
    (record) =>
      !releases.has(record.release) &&
      isInstalled(record) &&
      readLabels(record.labels)?.owner !== environment.name,
  )
  const served = candidates.flatMap((record) => {
    const endpoint = servedEndpoint(recordedChart(record.release, record).name)
    return endpoint === undefined ? [] : [{endpoint, record}]
  })
  if (served.length === 0) return []
  const charts = new Map([...releases].map(([release, {chart}]) => [release, plugins.dialectChart(chart)]))
  const uses = (client: ReleaseId, server: ReleaseId) =>
    releaseNamespace(client) === releaseNamespace(server) ||
    (graph.requirements.get(client) ?? []).some(({to}) => to === server)
  return served
    .filter(({endpoint}) => !isServed(endpoint, charts))
    .map(({endpoint, record}) => ({
      endpoint,
      record,
      clients: [...charts]
        .filter(([release]) => uses(release, record.release))
        .filter(([release]) => !statesHosts(mergedValues(releases.get(release)!.layers), endpoint))
        .map(([release, chart]) => ({release, chart})),
    }))
    .filter(({clients}) => clients.length > 0)
}

function statesHosts(values: unknown, endpoint: string): boolean {
  return dig(values, 'endpoints', endpoint, 'hosts') !== undefined
}

async function readable(
  records: Records,
  {release, revision}: ReleaseRecord,
): Promise<StoredRelease | undefined> {
  try {
    return await records.stored(release, revision)
  } catch (error) {
    const {code} = asKkError(error)
    if (code === 'KK_FORBIDDEN' || code === 'KK_RECORD') return undefined
    throw error
  }
}

/**
 * Returns true if a release was installed from one of kk's charts; charts of openstack-helm lack kk's
 * annotations.
 */
function isFromKkChart({chart: {annotations = {}}}: StoredRelease): boolean {
  return Object.keys(annotations).some((name) => name.startsWith('kk.openstack.org/'))
}

/** Returns the Services of a release for clients, without headless ones, which are for single members. */
function clientServices({manifest}: StoredRelease): readonly string[] {
  return parseManifest(manifest)
    .filter((object) => object.kind === 'Service' && dig(object, 'spec', 'clusterIP') !== 'None')
    .map(({metadata: {name}}) => name)
}

function serverNote({release, chart}: Client, server: Server, hosts: readonly string[]): readonly string[] {
  const {endpoint, record} = server
  const entry = chart.endpoints[endpoint]
  const sought = digText(entry, 'hosts', 'internal') ?? digText(entry, 'hosts', 'default')
  const [host] = hosts
  if (sought === undefined || host === undefined || hosts.includes(sought)) return []
  const serverValues = serverElsewhere(release, chart, {release: record.release, endpoint, host})
  if (!serverValues) return []
  const owner = readLabels(record.labels)?.owner
  const whose = owner === undefined ? '' : ` of the environment ${owner}`
  const otherHosts = hosts.length === 1 ? '' : ` (or ${hosts.slice(1).join(', ')})`
  return [
    `${releaseName(release)} looks for ${endpoint} at ${sought}, but ${record.release}${whose} answers at ${host}${otherHosts}: set in the section ${releaseName(release)}: ${statements([], serverValues).join(', ')}`,
  ]
}

/** Returns a line for each value, such as `endpoints.oslo_db.hosts.default: mariadb-server`. */
function statements(path: readonly string[], value: unknown): readonly string[] {
  if (!isMap(value)) return [`${path.join('.')}: ${value}`]
  return Object.entries(value).flatMap(([key, inner]) => statements([...path, key], inner))
}
