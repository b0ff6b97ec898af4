import {dig, digMaps, digText} from '../base/dig.ts'
import type {Values} from '../base/values.ts'
import type {WantKind} from '../graph/inference/facts.ts'

/** A requirement of a component of a chart, from its values. */
interface ValueRequirement {
  /** `ready`: it waits; `soft`: it would wait if it were enabled, or its configuration only names it. */
  readonly kind: WantKind
  /** The requirement as text, for people: `service oslo_db = openstack:mariadb`. */
  readonly what: string
  /** The chart that provides it, by its name; undefined if no name matches, or for the chart itself. */
  readonly chart?: string
}

/** A component of a chart, as `dependencies.static` of openstack-helm names it. */
export interface Component {
  readonly name: string
  /** Its keys in `manifests`; empty if none enables it. */
  readonly switches: readonly string[]
  readonly isOn: boolean
  readonly requires: readonly ValueRequirement[]
}

/** The paths in which openstack-helm names the selected block in `dependencies.dynamic.targeted`. */
const CHOICES = [['network', 'backend'], ['storage'], ['conf', 'ceph', 'backend']] as const

/** Endpoints that nearly every chart of openstack-helm names, for a feature that is disabled by default. */
const BOILERPLATE = new Set(['kube_dns', 'fluentd', 'local_image_registry', 'oci_image_registry'])

interface ComponentsQuery {
  readonly values: Values
  /** The chart itself. */
  readonly chart: string
  /** The names of the known charts. */
  readonly names: readonly string[]
}

/**
 * Returns the requirements of a chart's components, from values in the dialect of openstack-helm:
 * `dependencies`, `endpoints` and `manifests`. Nothing is rendered, so this is a preview; the rendered chart
 * is decisive.
 */
export function componentsOf(query: ComponentsQuery): readonly Component[] {
  const blocks = Object.entries(mapAt(query.values, 'dependencies', 'static'))
  const components = blocks
    .filter(([name]) => !/(?:^|_)tests?$/.test(name) && name !== 'image_repo_sync')
    .map(([name, block]) => component(name, block, query))
  const named = namedOnly(query)
  return named.length === 0
    ? components
    : [...components, {name: 'endpoints', switches: [], isOn: true, requires: named}]
}

function component(name: string, block: unknown, query: ComponentsQuery): Component {
  const switches = componentSwitches(query.values, name)
  const isOn = switches.length === 0 || switches.some((each) => each.isOn)
  const targeted = Object.entries(mapAt(query.values, 'dependencies', 'dynamic', 'targeted'))
  const chosen = listChoices(query.values)
  const kind = isOn ? 'ready' : 'soft'
  return {
    name,
    switches: switches.map(({key}) => key),
    isOn,
    requires: [
      ...blockRequirements(block, kind, query),
      ...targeted.flatMap(([choice, components]) =>
        blockRequirements(dig(components, name), chosen.has(choice) ? kind : 'soft', query).map((each) => ({
          ...each,
          what: `${each.what} (with ${choice}${chosen.has(choice) ? '' : ', which is not chosen'})`,
        })),
      ),
    ],
  }
}

function blockRequirements(
  block: unknown,
  kind: ValueRequirement['kind'],
  query: ComponentsQuery,
): readonly ValueRequirement[] {
  const services = digMaps(block, 'services').flatMap((each) => {
    const service = digText(each, 'service') ?? ''
    if (BOILERPLATE.has(service)) return []
    const host = serviceHost(query.values, service, digText(each, 'endpoint') ?? 'default')
    if (!host) return [{kind, what: `service ${service}, which endpoints does not have`}]
    const place = host.namespace === undefined ? host.name : `${host.namespace}:${host.name}`
    return [{kind, what: `service ${service} = ${place}`, ...provider(host.name, query)}]
  })
  const jobs = textsAt(block, 'jobs').map((job) => ({kind, what: `job ${job}`, ...provider(job, query)}))
  const sets = textsAt(block, 'daemonset').map((set) => ({
    kind,
    what: `daemonset ${set}`,
    ...provider(set, query),
  }))
  const pods = digMaps(block, 'pod').map((pod) => {
    const labels = Object.entries(mapAt(pod, 'labels')).map(([key, value]) => `${key}=${value}`)
    return {
      kind,
      what: `pod ${labels.join(',')}`,
      ...provider(digText(pod, 'labels', 'application') ?? '', query),
    }
  })
  return [...services, ...jobs, ...sets, ...pods]
}

/** Returns endpoints that no component waits for, which may be named in configuration. */
function namedOnly(query: ComponentsQuery): readonly ValueRequirement[] {
  const waited = JSON.stringify(dig(query.values, 'dependencies') ?? {})
  return Object.keys(mapAt(query.values, 'endpoints')).flatMap((service) => {
    if (BOILERPLATE.has(service) || waited.includes(`"${service}"`)) return []
    const host = serviceHost(query.values, service, 'internal')
    const providers = host && provider(host.name, query)
    return providers && 'chart' in providers
      ? [
          {
            kind: 'soft' as const,
            what: `endpoint ${service} = ${host.name}, which nothing waits for`,
            ...providers,
          },
        ]
      : []
  })
}

/** Returns the chart whose name is the longest prefix of a name; none for the chart itself. */
function provider(name: string, {chart, names}: ComponentsQuery): {readonly chart?: string} {
  const [longest] = [chart, ...names]
    .filter((each) => name === each || name.startsWith(`${each}-`))
    .sort((a, b) => b.length - a.length)
  return longest === undefined || longest === chart ? {} : {chart: longest}
}

function listChoices(values: Values): ReadonlySet<string> {
  const choices = CHOICES.flatMap((path) => dig(values, ...path))
  return new Set(choices.filter((each) => typeof each === 'string'))
}

function textsAt(block: unknown, key: string): readonly string[] {
  const list = dig(block, key)
  if (!Array.isArray(list)) return []
  return list
    .map((each) => (typeof each === 'string' ? each : digText(each, 'name')))
    .filter((each) => each !== undefined)
}

function mapAt(tree: unknown, ...path: readonly string[]): object {
  const map = dig(tree, ...path)
  return typeof map === 'object' && map !== null ? map : {}
}

const WORKLOAD = /^(?:deployment|daemonset|statefulset|job|cron_?job|pod|cluster)_/

/**
 * Returns the keys in `manifests` that contain the name of a component: `deployment_api` for `api`,
 * `daemonset_compute` for `compute`.
 */
function componentSwitches(
  {manifests}: Values,
  component: string,
): readonly {readonly key: string; readonly isOn: boolean}[] {
  if (typeof manifests !== 'object' || manifests === null) return []
  const name = component.replaceAll('-', '_')
  return Object.keys(manifests)
    .filter((key) => key !== name && key.replace(WORKLOAD, '') === name)
    .map((key) => ({key, isOn: dig(manifests, key) === true}))
}

/** The address of a service: its name, and its namespace if the values have one. */
interface ServiceHost {
  readonly namespace: string | undefined
  readonly name: string
}

/**
 * Returns the Service of an entry of `endpoints`, as helm-toolkit resolves it; undefined without such an
 * entry.
 */
function serviceHost(values: Values, service: string, endpoint: string): ServiceHost | undefined {
  const entry = dig(values, 'endpoints', service.replaceAll('-', '_'))
  const hostEntry = dig(entry, 'hosts', endpoint) ?? dig(entry, 'hosts', 'default')
  const host = typeof hostEntry === 'object' ? digText(hostEntry, 'host') : hostEntry
  if (typeof host !== 'string' || host === '') return undefined
  const name = /\d+\.\d+\.\d+\.\d+/.test(host)
    ? (digText(entry, 'service', 'name') ?? service.replaceAll('-', '_'))
    : host
  return {namespace: digText(entry, 'namespace'), name}
}
