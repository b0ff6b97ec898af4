import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {asKkError, KkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import type {Exec, SeenPod} from '../kubernetes/exec/exec.ts'
import type {Bus, Facts, Hypervisor, Pools, Schema} from './facts.ts'
import {northboundOf, type OvsdbTables, southboundOf, switchOf} from './ovsdb.ts'
import type {Source} from './sources.ts'
import {SOURCES} from './sources.ts'

/** A source that could not be read. */
export interface NotAsked {
  /** The source, with its node if there are several. */
  readonly source: string
  readonly reason: string
}

/** The facts, with the sources that they come from. */
export interface Gathered {
  readonly facts: Facts
  /** The names of the sources that were read. */
  readonly asked: readonly string[]
  readonly notAsked: readonly NotAsked[]
  readonly pods: readonly SeenPod[]
}

export interface GatherPorts {
  readonly exec: Pick<Exec, 'run' | 'pods'>
  /** Returns the program of a collector. */
  readonly program: (collector: Source['collector']) => Promise<string>
  readonly onProgress?: ((source: string) => void) | undefined
}

/** Returns the programs of the collectors, from the directory of kk's own files. */
export function collectors(files: string): GatherPorts['program'] {
  return (name) => readFile(join(files, 'src/audit/collectors', `${name}.py`), 'utf8')
}

/** A deployed release; a section that is several releases counts as one. */
export interface Deployed {
  readonly namespace: string
  readonly name: string
  readonly chart: string
}

/** The releases of one cloud: others in the same namespaces may be of another region. */
export interface GatherScope {
  readonly releases: readonly Deployed[]
  /** The sources to read, and the node of those that are read on each; all if omitted. */
  readonly only?: {readonly sources: readonly string[]; readonly node: string | undefined}
}

interface Task {
  readonly source: Source
  /** The name in messages. */
  readonly name: string
  readonly pod: SeenPod | undefined
  readonly problem?: string
}

export interface Answer extends Task {
  /** What the collector printed; null if the service has nothing to compare. */
  readonly output?: unknown
}

const TIMEOUT_MS = 180_000

/** Runs the collectors of all deployed services in their pods, and returns what they printed as facts. */
export async function gather(ports: GatherPorts, scope: GatherScope): Promise<Gathered> {
  const {answers, ...rest} = await collect(ports, scope, SOURCES)
  return {facts: factsOf(answers, rest.pods), ...rest}
}

/** What collectors have printed. */
export interface Collected extends Omit<Gathered, 'facts'> {
  readonly answers: readonly Answer[]
}

/** Runs the collectors of sources in the pods of deployed services. */
export async function collect(
  ports: GatherPorts,
  {releases, only}: GatherScope,
  all: readonly Source[],
): Promise<Collected> {
  const namespaces = [...new Set(releases.map(({namespace}) => namespace))]
  const ids = new Set(releases.map(({namespace, name}) => `${namespace}/${name}`))
  const seen = (await mapParallel(namespaces, (namespace) => ports.exec.pods(namespace))).flat()
  const pods = seen.filter((pod) => ids.has(releaseOf(pod)))
  const sources = all.filter(({chart}) => releases.some((release) => release.chart === chart))
  const tasks = sources
    .filter(({name}) => !only || only.sources.includes(name))
    .flatMap((source) => tasksOf(source, pods, releases))
    .filter(({source, name}) => {
      return only?.node === undefined || [source.name, `${source.name} on ${only.node}`].includes(name)
    })
  const answers = await mapParallel(tasks, (task) => ask(ports, task))
  const good = answers.filter(({problem, output}) => problem === undefined && output !== null)
  return {
    answers: good,
    pods,
    asked: [...new Set(good.map(({name}) => name))],
    notAsked: answers.flatMap(({name, problem}) =>
      problem === undefined ? [] : [{source: name, reason: problem}],
    ),
  }
}

function releaseOf({namespace, release}: SeenPod): string {
  return `${namespace}/${release}`
}

/** Returns the containers that run a collector, with a problem for each that is missing. */
function tasksOf(source: Source, pods: readonly SeenPod[], releases: readonly Deployed[]): readonly Task[] {
  const {name, chart, components, perNode, perRelease, expectedWith} = source
  const none = {source, pod: undefined, problem: `${chart} has no pod of ${components.join(' or ')}`}
  const candidates = pods.filter((pod) => pod.chart === chart && components.includes(pod.component))
  if (candidates.length === 0) return [{...none, name}]
  if (perNode) {
    const found = podsFor(source, candidates)
    const nodes = new Set(found.map(({node}) => node))
    const bare = pods.filter((pod) => pod.chart === expectedWith?.[0] && pod.component === expectedWith[1])
    const without = new Set(bare.flatMap(({node}) => (nodes.has(node) ? [] : [node])))
    return [
      ...found.map((pod) => ({source, name: `${name} on ${pod.node}`, pod})),
      ...[...without].map((node) => ({...none, name: `${name} on ${node}`})),
    ]
  }
  const byRelease = [...Map.groupBy(candidates, releaseOf)]
  if (byRelease.length > 1 && !perRelease) {
    const problem = `several releases have it: ${byRelease.map(([id]) => id).join(', ')}`
    return [{...none, name, problem}]
  }
  const label = (id: string) => (byRelease.length > 1 ? `${name} of ${id}` : name)
  const present = new Set(pods.map(releaseOf))
  const absent = releases
    .filter((release) => release.chart === chart)
    .flatMap((each) => [`${each.namespace}/${each.name}`].filter((id) => !present.has(id)))
  return [
    ...byRelease.map(([id, own]) => ({source, name: label(id), pod: podsFor(source, own)[0]})),
    ...absent.map((id) => ({...none, name: `${name} of ${id}`, problem: 'it has no pods'})),
  ]
}

/** Returns the pods that run a collector; without a running one, one that does not run per place. */
export function podsFor(
  {chart, components, perNode}: Pick<Source, 'chart' | 'components' | 'perNode'>,
  pods: readonly SeenPod[],
): readonly SeenPod[] {
  const candidates = pods
    .filter((pod) => pod.chart === chart && components.includes(pod.component))
    .sort(
      (a, b) =>
        Number(b.isRunning) - Number(a.isRunning) ||
        components.indexOf(a.component) - components.indexOf(b.component) ||
        (a.name < b.name ? -1 : 1),
    )
  if (!perNode) return candidates.slice(0, 1)
  return [...Map.groupBy(candidates, ({node}) => node).values()].map(([first]) => first!)
}

async function ask(ports: GatherPorts, task: Task): Promise<Answer> {
  const {source, name, pod} = task
  if (!pod) return task
  if (!pod.isRunning) return {...task, problem: `pod ${pod.name} is not running`}
  try {
    ports.onProgress?.(name)
    return {...task, output: await runCollector(ports, pod, source)}
  } catch (error) {
    return {...task, problem: asKkError(error).message}
  }
}

interface Collecting extends Pick<Source, 'collector' | 'input'> {
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns what a collector prints in the container of a pod. Throws `KK_EXEC` with its last line if it fails.
 */
export async function runCollector(
  {exec, program}: Omit<GatherPorts, 'exec'> & {readonly exec: Pick<Exec, 'run'>},
  {namespace, name, container}: Pick<SeenPod, 'namespace' | 'name' | 'container'>,
  {collector, input, signal}: Collecting,
): Promise<unknown> {
  const head = `import json\nINPUT = json.loads(${JSON.stringify(JSON.stringify(input))})\n`
  const {code, stdout, stderr} = await exec.run({
    ...{namespace, pod: name, container, command: ['python3', '-I', '-']},
    ...{input: `${head}${await program(collector)}`, timeout: TIMEOUT_MS, signal},
  })
  if (code === 0) return JSON.parse(stdout)
  const reason = stderr.trim().split('\n').at(-1) || `exit code ${code}`
  throw new KkError('KK_EXEC', `pod ${name}: ${reason}`)
}

function factsOf(answers: readonly Answer[], pods: readonly SeenPod[]): Facts {
  const outputs = <T>(name: string) =>
    answers.flatMap(({source, pod, output}) =>
      source.name === name && pod ? [[pod, output as T] as const] : [],
    )
  const one = <T>(name: string) => outputs<T>(name)[0]?.[1]
  const perNode = (name: string) => outputs(name).map(([{node}, output]) => [node, output] as const)
  const pools = (name: string) => mergedPools(outputs<Pools>(name).map(([, each]) => each))
  const database = <T>(chart: string, name = chart) => one<Record<string, T>>(chart)?.[name]
  const nodes = pods.filter(({chart}) => chart === 'openvswitch' || chart === 'libvirt').map(({node}) => node)
  const hosts = (component: string) =>
    pods.filter((pod) => pod.chart === 'ovn' && pod.component === component).map(({name}) => name)
  const [northbound, southbound] = [one<OvsdbTables>('northbound'), one<OvsdbTables>('southbound')]
  return {
    nova: database('nova', 'api'),
    placement: database('placement'),
    neutron: database('neutron'),
    cinder: database('cinder'),
    glance: database('glance'),
    keystone: database('keystone'),
    octavia: database('octavia'),
    northbound: northbound && northboundOf(northbound, hosts('nb')),
    southbound: southbound && southboundOf(southbound, hosts('sb')),
    switches: new Map(
      perNode('openvswitch').map(([node, output]) => [node, switchOf(output as OvsdbTables)]),
    ),
    hypervisors: new Map(perNode('libvirt').map(([node, output]) => [node, output as Hypervisor])),
    nodes: new Set(nodes),
    volumePools: pools('volume pools'),
    serverPools: pools('server pools'),
    imagePools: pools('image pools'),
    buses: outputs<Omit<Bus, 'release'>>('rabbitmq').map(([pod, bus]) => ({...bus, release: releaseOf(pod)})),
    schemas: answers.flatMap(({source, output}) =>
      source.collector === 'sql' ? schemasOf(source.name, output as Databases) : [],
    ),
  }
}

/** Returns the images of all releases of a service. */
function mergedPools(all: readonly Pools[]): Pools | undefined {
  if (all.length === 0) return undefined
  return {
    pools: Object.assign({}, ...all.map(({pools}) => pools)),
    sections: Object.assign({}, ...all.map(({sections}) => sections)),
  }
}

/** What the collector of databases prints; `S` is the state of migrations, `C` the rows of a cell. */
export interface Databases<S = Omit<Schema, 'name'>, C = unknown> {
  readonly [name: string]: {
    readonly schema: S
    readonly cells?: Readonly<Record<string, {readonly schema: S} & C>>
  }
}

/** Returns the schemas of the databases and cells of a service, each with its name. */
export function schemasOf<S>(
  service: string,
  databases: Databases<S>,
): readonly (S & Pick<Schema, 'name'>)[] {
  return Object.entries(databases).flatMap(([name, {schema, cells = {}}]) => [
    {name: name === service ? service : `${service} ${name}`, ...schema},
    ...Object.entries(cells).map(([cell, each]) => ({name: `${service} ${cell}`, ...each.schema})),
  ])
}

/** Returns the databases of which it is not known whether they have the migrations of their images. */
export function unknownMigrations(schemas: readonly Pick<Schema, 'name' | 'known'>[]): readonly NotAsked[] {
  const reason = 'they were not found in the image'
  return schemas
    .filter(({known}) => known === null)
    .map(({name}) => ({source: `migrations of ${name}`, reason}))
}
