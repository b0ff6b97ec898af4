import {underscored} from '../../base/underscored.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {DialectChart} from '../../charts/dialect.ts'
import type {ValuePath} from '../../redact/values.ts'
import {leaves} from '../secret-values.ts'

/**
 * Returns the paths that the chart does not read, as far as known: neither its values nor its templates have
 * them.
 */
export function unreadPaths(chart: DialectChart, values: Values): readonly ValuePath[] {
  return leaves([], values).filter((path) => !isRead(chart, path))
}

/** Returns true if a chart reads a path among its values; true for a chart without files. */
export function isRead(chart: DialectChart, path: ValuePath): boolean {
  const {templates, dialect} = chart
  if (templates === undefined || isMentioned(templates, path)) return true
  const [first = '', ...rest] = path
  if (dialect !== undefined && has(chart.at(first), rest) && chart.at(first) !== undefined) return true
  if (dialect === 'kk' && isReadByCommon(chart, path[0] === 'global' ? path.slice(1) : path)) return true
  return dialect === 'openstack-helm' && isReadByToolkit(chart, path)
}

/**
 * The keys that the library of kk's charts reads for every release, at the top or below `global`, besides
 * `pod` and `storage` (`common.context.values`).
 */
const COMMON = [
  'annotations',
  'region',
  'endpoints',
  'images',
  'ingress',
  'labels',
  'network',
  'network_policy',
  'dependencies',
  'dumps',
  'federation',
  'notifications',
  'secrets',
  'tls',
]

function isReadByCommon({name, values}: DialectChart, [first = '', second = '', third]: ValuePath): boolean {
  const units = ['components', 'jobs', 'cronjobs', 'tests'].flatMap((key) => keysAt(values, key))
  if (first === 'pod' && (second === 'replicas' || second === 'resources'))
    return third === undefined || third === 'enabled' || units.some((unit) => sameName(unit, third))
  if (first === 'conf') {
    const uwsgi = keysAt(values, 'components').map((component) => `${name}_${component}_uwsgi`)
    return [...keysAt(values, 'files'), ...uwsgi].some((file) => sameName(file, second))
  }
  const stores = Object.values(isMap(values.components) ? values.components : {})
  if (first === 'storage') return stores.some((component) => isMap(component) && component.storage)
  return first === 'pod' || COMMON.includes(first)
}

/** The keys that helm-toolkit reads below an endpoint that a chart declares. */
const OF_ENDPOINT = [
  'name',
  'namespace',
  'hosts',
  'host_fqdn_override',
  'path',
  'scheme',
  'port',
  'statefulset',
]

function isReadByToolkit({endpoints}: DialectChart, [first, second = '', third = '']: ValuePath): boolean {
  if (first === 'pod') return second === 'affinity' || (second === 'resources' && third === 'enabled')
  if (first !== 'endpoints') return false
  return second === 'cluster_domain_suffix' || (has(endpoints, [second]) && OF_ENDPOINT.includes(third))
}

/**
 * Returns true if a template reads the path, or a map around it: `.Values.conf.nova` for
 * `conf.nova.DEFAULT.workers`.
 */
function isMentioned(templates: string, path: ValuePath): boolean {
  return path.some((_, index) => {
    const accessPath = path
      .slice(0, index + 1)
      .map((key) => key.replaceAll(/\W/g, '\\$&'))
      .join('\\.')
    return new RegExp(`\\.Values\\.${accessPath}(?![\\w.-])`).test(templates)
  })
}

function sameName(one: string, other: string): boolean {
  return underscored(one) === underscored(other)
}

function keysAt(values: Values, key: string): readonly string[] {
  const map = values[key]
  return isMap(map) ? Object.keys(map) : []
}

function has(value: unknown, [key, ...rest]: ValuePath): boolean {
  if (key === undefined) return true
  return isMap(value) && Object.hasOwn(value, key) && has(value[key], rest)
}
