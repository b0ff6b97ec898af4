import type {SeenPod} from '../kubernetes/exec/exec.ts'
import type {Schema} from './facts.ts'
import {
  type Answer,
  collect,
  type Databases,
  type GatherPorts,
  type GatherScope,
  type NotAsked,
  schemasOf,
  unknownMigrations,
} from './gather.ts'
import {DATABASES, type Database} from './queries.ts'
import {OVN_PATHS, type Source} from './sources.ts'

/** A part of a cloud that is to have one version, such as the image of a component. */
export interface PartVersions {
  readonly kind: 'image' | 'schema' | 'service' | 'feature flags' | 'northd' | 'QEMU'
  /** `nova/compute` of an image, `nova api` of a schema, `nova-compute` of a service, … */
  readonly name: string
  /** Each version that was found, and what has it; more than one if they differ. */
  readonly versions: readonly {readonly version: string; readonly of: readonly string[]}[]
}

/** The versions of a cloud. */
export interface Versions {
  readonly parts: readonly PartVersions[]
  readonly notAsked: readonly NotAsked[]
}

const SERVICES: Readonly<Record<string, string>> = {
  nova: 'SELECT host, `binary` part, version FROM services WHERE deleted = 0',
  cinder:
    "SELECT host, `binary` part, CONCAT_WS(', ', CONCAT('RPC ', rpc_current_version), CONCAT('objects ', object_current_version)) version FROM services WHERE deleted = 0",
  ironic: "SELECT hostname host, 'ironic-conductor' part, version FROM conductors WHERE online = 1",
}

/** Returns what is read of the database of a service: what its services report, and its migrations. */
function databaseOf(chart: string, {cells, ...database}: Database): Database {
  const services = SERVICES[chart]
  const queries: Readonly<Record<string, string>> = services === undefined ? {} : {services}
  if (!cells) return {...database, queries}
  return {...database, queries: {}, cells: {...cells, queries}}
}

const QEMU: Source = {
  ...{name: 'libvirt', chart: 'libvirt', components: ['libvirt'], collector: 'qemu'},
  ...{perNode: true, expectedWith: ['nova', 'compute'], input: {}},
}

const SOURCES: readonly Source[] = [
  ...Object.entries(DATABASES).map(
    ([chart, [database, ...components]]): Source => ({
      ...{name: chart, chart, components, collector: 'sql'},
      input: {databases: [databaseOf(chart, database)]},
    }),
  ),
  {
    ...{name: 'northd', chart: 'ovn', components: ['sb'], collector: 'ovsdb'},
    input: {
      database: 'OVN_Southbound',
      // Its members are not asked for.
      ...{sockets: OVN_PATHS.sockets, controls: []},
      tables: {SB_Global: ['options']},
    },
  },
  {
    ...{name: 'rabbitmq', chart: 'rabbitmq', components: ['server'], collector: 'feature-flags'},
    ...{perRelease: true, input: {}},
  },
  QEMU,
]

/** Reads the versions of everything in a cloud that is to have one. */
export async function readVersions(ports: GatherPorts, scope: GatherScope): Promise<Versions> {
  const {answers, pods, notAsked} = await collect(ports, scope, SOURCES)
  const outputs = <T>(name: Source['collector']) =>
    answers
      .filter(({source}) => source.collector === name)
      .map((each) => ({...each, output: each.output as T}))
  const databases = outputs<Databases>('sql')
  const schemas = databases.flatMap(({source, output}) => schemasOf(source.name, output))
  return {
    parts: [
      ...images(pods),
      ...schemas.map(schemaPart),
      ...databases.flatMap(({output}) => services(output)),
      ...outputs<Southbound>('ovsdb').flatMap(({output}) => northd(output)),
      ...outputs<FeatureFlags>('feature-flags').map(({name, output}) => featureFlags(name, output)),
      ...qemu(outputs<Qemu>('qemu')),
    ],
    notAsked: [...notAsked, ...unknownMigrations(schemas)],
  }
}

/** Returns a part: of `[version, holder]` pairs, the holders by their versions. */
function part(
  kind: PartVersions['kind'],
  name: string,
  pairs: readonly (readonly [version: string, holder: string])[],
): PartVersions {
  const versions = [...Map.groupBy(pairs, ([version]) => version)].map(([version, same]) => ({
    version,
    of: same.map(([, holder]) => holder),
  }))
  return {kind, name, versions}
}

/** The images of components; two builds of the same tag differ by their digests. */
function images(pods: readonly SeenPod[]): readonly PartVersions[] {
  const running = pods.filter(({isRunning}) => isRunning)
  const components = Map.groupBy(running, ({namespace, release, component}) =>
    [namespace, release, component].join('/'),
  )
  return [...components.values()].map((all) => {
    const {release, component} = all[0]!
    const builds = Map.groupBy(all, ({image}) => image)
    const version = ({image, digest}: SeenPod) => {
      const isMoved = new Set(builds.get(image)!.map((each) => each.digest)).size > 1
      return isMoved ? `${image} (${digest.slice(0, 19)})` : image
    }
    return part(
      ...(['image', `${release}/${component}`] as const),
      all.map((pod) => [version(pod), `${pod.name} on ${pod.node}`]),
    )
  })
}

interface ServiceRow {
  readonly host: string
  readonly part: string
  readonly version: unknown
}
interface Rows {
  readonly services?: readonly ServiceRow[]
}

/** Returns what the processes of a service have registered in its databases and cells, by their names. */
function services(databases: Databases): readonly PartVersions[] {
  const all = Object.values(databases).flatMap(({cells = {}, ...rows}) => [rows, ...Object.values(cells)])
  const rows = all.flatMap((each) => (each as Rows).services ?? [])
  return [...Map.groupBy(rows, (row) => row.part)].map(([name, own]) =>
    part(
      'service',
      name,
      own.map(({version, host}) => [String(version), host]),
    ),
  )
}

/** The migrations of a database; those of its image that it has not seen are another version. */
function schemaPart({name, applied, pending, unknown}: Schema): PartVersions {
  const image = [
    ...(pending.length > 0 ? [`migrations that were not applied: ${pending.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`it does not know ${unknown.join(', ')}`] : []),
  ]
  return part('schema', name, [
    [applied.join(', '), 'database'],
    ...image.map((version) => [version, 'image'] as const),
  ])
}

interface Southbound {
  readonly tables: {readonly SB_Global: readonly {readonly options: Readonly<Record<string, string>>}[]}
}

function northd({tables}: Southbound): readonly PartVersions[] {
  const versions = tables.SB_Global.flatMap(({options}) => options.northd_internal_version ?? [])
  return versions.map((version) => part('northd', 'ovn', [[version, 'southbound database']]))
}

interface FeatureFlags {
  readonly enabled: number
  readonly disabled: readonly string[]
}

function featureFlags(name: string, {enabled, disabled}: FeatureFlags): PartVersions {
  return part('feature flags', name, [
    ['enabled', `${enabled} flags`],
    ...disabled.map((flag) => ['not enabled', flag] as const),
  ])
}

/** The QEMU of a node, and of its instances: the next start or migration of each uses the node's. */
interface Qemu {
  readonly version: string
  readonly guests: readonly {
    readonly uuid: string
    readonly name: string
    /** Null if it is not known. */
    readonly version: string | null
    readonly isCurrent: boolean
  }[]
}

function qemu(nodes: readonly (Answer & {readonly output: Qemu})[]): readonly PartVersions[] {
  const pairs = nodes.flatMap(({pod, output}) => [
    [output.version, pod!.node] as const,
    ...output.guests.map((guest) => {
      return [versionOf(guest, output.version), `${guest.uuid} on ${pod!.node}`] as const
    }),
  ])
  return pairs.length === 0 ? [] : [part('QEMU', 'libvirt', pairs)]
}

function versionOf({version, isCurrent}: Qemu['guests'][number], current: string): string {
  if (isCurrent) return current
  return version === null || version === current ? `another build than ${current}` : version
}

/** An instance that runs another QEMU than its node has. */
export interface OldQemu {
  readonly server: string
  readonly node: string
  readonly version: string
  /** The version that its node has. */
  readonly current: string
}

/** Reads which instances run another QEMU than their nodes have. */
export async function readOldQemu(
  ports: GatherPorts,
  scope: GatherScope,
): Promise<{readonly old: readonly OldQemu[]; readonly notAsked: readonly NotAsked[]}> {
  const {answers, notAsked} = await collect(ports, scope, [QEMU])
  const old = answers.flatMap(({pod, output}) => {
    const {version: current, guests} = output as Qemu
    return guests
      .filter(({isCurrent}) => !isCurrent)
      .map((guest) => ({server: guest.uuid, node: pod!.node, version: versionOf(guest, current), current}))
  })
  return {old, notAsked}
}
