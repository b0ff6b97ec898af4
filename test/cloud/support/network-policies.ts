import {setTimeout as delay} from 'node:timers/promises'
import {execa} from 'execa'
import {kubectl} from '../../aio/support/node.ts'

const PERIOD_MILLISECONDS = 500

type Labels = Readonly<Record<string, string>>

interface Selector {
  readonly matchLabels?: Labels
}

interface Pod {
  readonly metadata: {readonly labels?: Labels}
  readonly spec: {
    readonly containers: readonly {
      readonly ports?: readonly {readonly name?: string; readonly containerPort: number}[]
    }[]
  }
  readonly status: {readonly podIP?: string; readonly phase?: string}
}

interface Rule {
  readonly from?: readonly {readonly podSelector?: Selector}[]
  readonly ports?: readonly {readonly port: string | number}[]
}

interface Policy {
  readonly spec: {readonly podSelector: Selector; readonly ingress?: readonly Rule[]}
}

/**
 * Does on the node what a network with policies does, for those of one namespace that select pods of the same
 * namespace: packets that no rule of a policy lets in are dropped. Ends with the signal, and takes away what
 * it made.
 */
export async function enforcePolicies(namespace: string, signal: AbortSignal): Promise<void> {
  const chain = `KK-${namespace}`.slice(0, 28)
  try {
    await restore([`:${chain} - [0:0]`, `-I FORWARD -j ${chain}`])
    while (!signal.aborted) {
      const [policies, pods] = await Promise.all([
        list<Policy>(namespace, 'networkpolicies'),
        list<Pod>(namespace, 'pods'),
      ])
      const rules = rulesOf(policies, pods).map((rule) => `-A ${chain} ${rule}`)
      await restore([`:${chain} - [0:0]`, ...rules])
      await delay(PERIOD_MILLISECONDS)
    }
  } finally {
    await restore([`:${chain} - [0:0]`, `-D FORWARD -j ${chain}`, `-X ${chain}`])
  }
}

/**
 * The rules for the pods that a policy selects: what belongs to a connection, then what may begin one, then
 * nothing.
 */
function rulesOf(policies: readonly Policy[], all: readonly Pod[]): readonly string[] {
  const pods = all.filter(({status}) => status.podIP !== undefined && status.phase === 'Running')
  return pods.flatMap((pod) => {
    const selecting = policies.filter(({spec}) => selects(spec.podSelector, pod))
    if (selecting.length === 0) return []
    const to = `-d ${pod.status.podIP}`
    return [
      `${to} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`,
      ...selecting.flatMap(({spec}) => spec.ingress ?? []).flatMap((rule) => allowed(rule, pod, pods)),
      `${to} -j DROP`,
    ]
  })
}

function allowed({from, ports}: Rule, pod: Pod, pods: readonly Pod[]): readonly string[] {
  const sources = from?.flatMap(({podSelector, ...other}) => {
    if (podSelector === undefined || Object.keys(other).length > 0)
      throw new Error(`expected a podSelector alone, got ${JSON.stringify({podSelector, ...other})}`)
    return pods.filter((each) => selects(podSelector, each)).map(({status}) => `-s ${status.podIP} `)
  }) ?? ['']
  const numbers = ports?.map(({port}) => `-p tcp --dport ${portNumber(port, pod)} `) ?? ['']
  return sources.flatMap((source) =>
    numbers.map((number) => `${source}-d ${pod.status.podIP} ${number}-j RETURN`),
  )
}

function selects({matchLabels = {}}: Selector, {metadata}: Pod): boolean {
  return Object.entries(matchLabels).every(([name, value]) => metadata.labels?.[name] === value)
}

function portNumber(port: string | number, {spec}: Pod): number {
  if (typeof port === 'number') return port
  const named = spec.containers.flatMap(({ports = []}) => ports).find(({name}) => name === port)
  if (named === undefined) throw new Error(`no container has the port ${port}`)
  return named.containerPort
}

async function list<T>(namespace: string, kind: string): Promise<readonly T[]> {
  const text = await kubectl(['get', kind, '--namespace', namespace, '--output', 'json'])
  return (JSON.parse(text) as {readonly items: readonly T[]}).items
}

/** Changes the chains that are named, at once; the others stay. */
function restore(lines: readonly string[]) {
  const input = ['*filter', ...lines, 'COMMIT', ''].join('\n')
  return execa('iptables-restore', ['--noflush', '--wait'], {input})
}
