import {asKkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import type {Exec, SeenPod} from '../kubernetes/exec/exec.ts'
import type {Facts, Hypervisor, Schema} from './facts.ts'
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

export interface GatherScope {
  readonly namespaces: readonly string[]
  /** The charts of the deployed releases. */
  readonly charts: ReadonlySet<string>
}

interface Task {
  readonly source: Source
  readonly pod: SeenPod | undefined
}

interface Answer extends Task {
  readonly output?: unknown
  readonly problem?: string
}

const TIMEOUT_MS = 180_000

/** Runs the collectors of all deployed services in their pods, and returns what they printed as facts. */
export async function gather(ports: GatherPorts, {namespaces, charts}: GatherScope): Promise<Gathered> {
  const pods = (await mapParallel(namespaces, (namespace) => ports.exec.pods(namespace))).flat()
  const tasks = SOURCES.filter(({chart}) => charts.has(chart)).flatMap((source): readonly Task[] => {
    const found = podsFor(source, pods)
    return found.length > 0 ? found.map((pod) => ({source, pod})) : [{source, pod: undefined}]
  })
  const answers = await mapParallel(tasks, (task) => ask(ports, task))
  const good = answers.filter(({problem}) => problem === undefined)
  return {
    facts: factsOf(good, pods),
    pods,
    asked: [...new Set(good.map(sourceName))],
    notAsked: answers.flatMap((answer) =>
      answer.problem === undefined ? [] : [{source: sourceName(answer), reason: answer.problem}],
    ),
  }
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

function sourceName({source, pod}: Task): string {
  return source.perNode && pod ? `${source.name} on ${pod.node}` : source.name
}

async function ask({exec, program, onProgress}: GatherPorts, {source, pod}: Task): Promise<Answer> {
  const name = sourceName({source, pod})
  if (!pod) return {source, pod, problem: `${source.chart} has no pod of ${source.components.join(' or ')}`}
  if (!pod.isRunning) return {source, pod, problem: `pod ${pod.name} is not running`}
  try {
    onProgress?.(name)
    const {namespace, name: podName, container} = pod
    const input = `import json\nINPUT = json.loads(${JSON.stringify(JSON.stringify(source.input))})\n`
    const ended = await exec.run({
      ...{namespace, pod: podName, container, command: ['python3', '-I', '-']},
      input: `${input}${await program(source.collector)}`,
      timeout: TIMEOUT_MS,
    })
    if (ended.code === 0) return {source, pod, output: JSON.parse(ended.stdout)}
    const reason = ended.stderr.trim().split('\n').at(-1) || `exit code ${ended.code}`
    return {source, pod, problem: `pod ${podName}: ${reason}`}
  } catch (error) {
    return {source, pod, problem: asKkError(error).message}
  }
}

function factsOf(answers: readonly Answer[], pods: readonly SeenPod[]): Facts {
  const one = <T>(name: string) => answers.find(({source}) => source.name === name)?.output as T | undefined
  const perNode = (name: string) =>
    answers.flatMap(({source, pod, output}) =>
      source.name === name && pod ? [[pod.node, output] as const] : [],
    )
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
    volumePools: one('volume pools'),
    serverPools: one('server pools'),
    imagePools: one('image pools'),
    bus: one('rabbitmq'),
    schemas: answers.flatMap(({source, output}) =>
      source.collector === 'sql' ? schemasOf(source.name, output as Databases) : [],
    ),
  }
}

interface Databases {
  readonly [name: string]: {
    readonly schema: Omit<Schema, 'name'>
    readonly cells?: Readonly<Record<string, {readonly schema: Omit<Schema, 'name'>}>>
  }
}

function schemasOf(service: string, databases: Databases): readonly Schema[] {
  return Object.entries(databases).flatMap(([name, {schema, cells = {}}]) => [
    {name: name === service ? service : `${service} ${name}`, ...schema},
    ...Object.entries(cells).map(([cell, each]) => ({name: `${service} ${cell}`, ...each.schema})),
  ])
}
