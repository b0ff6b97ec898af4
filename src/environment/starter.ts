import {dumpPython, plainMap} from '../yaml/pyyaml/dump.ts'
import {PROFILES} from './profiles.ts'
import {ENVIRONMENT_SCHEMA} from './schema.ts'

/** The choices for a new environment file. */
export interface Starter {
  readonly name: string
  readonly namespace: string
  /** The kubeconfig context that it belongs to, if any. */
  readonly context: string | undefined
  /** Whether no data outlives its pod. */
  readonly ephemeral: boolean
  /** The registry with the images that kk builds, with an optional path; or `UPSTREAM` for kolla's own. */
  readonly registry: string
  /** The name of the profile whose settings it has; undefined for none. */
  readonly profile: string | undefined
  /** The domain below which users reach the services, for a profile with an ingress controller. */
  readonly domain: string
  /** The charts to deploy. */
  readonly services: readonly string[]
}

/** The registry of the images that `kk aio` and `kk images build --push` serve on this machine. */
export const LOCAL_REGISTRY = 'localhost:5010'

/** The word for kolla's images on quay.io, instead of a registry. */
export const UPSTREAM = 'upstream'

/** The default of a domain, which the user has to replace. */
export const EXAMPLE_DOMAIN = 'cloud.example.org'

/** The name of the schema file next to the environment. */
export const SCHEMA_FILE = 'environment.schema.json'

/** Returns the JSON Schema of environment files, for editors. */
export function schemaText(): string {
  return `${JSON.stringify(ENVIRONMENT_SCHEMA, undefined, 2)}\n`
}

/** Files next to an environment that git must ignore. */
export const IGNORED = ['/secrets/', '*.secrets.yaml', 'passwords.yml', '*.kubeconfig'] as const

/**
 * Returns an environment file with comments. Other charts, with their descriptions by name, are commented
 * out.
 */
export function starterText(
  {name, namespace, context, ephemeral, registry, profile, domain, services}: Starter,
  charts: ReadonlyMap<string, string>,
): string {
  const {global, sections = {}} = PROFILES[profile ?? ''] ?? {}
  const ceph = '    # Images, volumes and the disks of virtual machines are in Ceph.\n    backend: ceph\n'
  const kolla =
    "  # kolla's images on quay.io, for the charts that have this feature: kk plan names the others.\n  features: [kolla]\n"
  const deployed = services.map((each) => `# ${charts.get(each) ?? each}\n${section(each, sections[each])}`)
  const others = [...charts].filter(([chart]) => !services.includes(chart))
  return `# yaml-language-server: $schema=${SCHEMA_FILE}
# The desired state of this cloud. "kk graph" shows its releases, "kk plan" the changes, and "kk deploy" makes them.

# kk's own settings; no release gets them.
kk:
  # The name of the environment that owns the releases; keep it when the file moves.
  ${entry('name', name)}
  # The namespace of all releases without a namespace in "releases".
  ${entry('namespace', namespace)}
  # The kubeconfig context of this cloud's cluster: kk refuses any other.
  ${context === undefined ? '# context: production' : entry('context', context)}
  # Sources of charts; the first one that has a chart wins.
  charts: [built-in]
${registry === UPSTREAM ? kolla : ''}  # Settings of single releases: namespace, requirements in addition to those of the chart, timeout.
  # releases:
  #   ${services[0] ?? 'keystone'}: {timeout: 20m}

# Values for every release. Do not write passwords here: kk generates those that are not specified, and stores them in the
# cluster ("kk secrets list"). To set a certain password, write it to a file such as secrets/keystone.yaml, which git
# ignores: --values keystone=secrets/keystone.yaml
global:
${registry === UPSTREAM ? '' : imagesText(registry)}  storage:
    # true: no data outlives its pod. false: databases and the like get volumes of the default storage class.
    ${entry('ephemeral', ephemeral)}
${services.includes('ceph') ? ceph : ''}${global?.(domain) ?? ''}
# Each section is a release to deploy, with its values. Its requirements are deployed, too.
${deployed.join('\n')}${othersText(others)}`
}

/** Returns the lines about charts that are not deployed, commented out. */
function othersText(charts: readonly (readonly [chart: string, description: string])[]): string {
  if (charts.length === 0) return ''
  const width = Math.max(...charts.map(([chart]) => `${chart}: {}`.length))
  const lines = charts.map(([chart, what]) => `# ${`${chart}: {}`.padEnd(width)}  # ${what}\n`)
  return `\n# Not deployed, unless a release requires it:\n${lines.join('')}`
}

function section(chart: string, settings: string | undefined): string {
  return settings === undefined ? `${chart}: {}\n` : `${chart}:\n${settings}`
}

/** Returns the lines about images: the registry from which every node pulls. */
function imagesText(registry: string): string {
  const advice =
    registry === LOCAL_REGISTRY
      ? '# Only the nodes of this machine can pull from it ("kk aio"); for other nodes, push to a registry that they reach.'
      : `# Build and push the images: sudo kk images build --push ${registry}`
  return `  images:
    ${advice}
    ${entry('registry', registry)}
`
}

/** Returns one line of YAML, with quotes around words that YAML would read as another type. */
function entry(key: string, value: string | boolean): string {
  return dumpPython(plainMap({[key]: value})).trimEnd()
}
