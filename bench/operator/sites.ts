import {once} from 'node:events'
import {type AddressInfo, createServer, type Socket} from 'node:net'
import type {CountedHelm} from '../measure/counted-helm.ts'
import {milliseconds, type Result} from '../result.ts'
import {chainOf} from './chain.ts'
import type {Hub, Kubeconfig} from './hub.ts'
import {lags, percentile, readinessDuring, type Watched} from './readiness.ts'

const CHAIN = chainOf(4)
/** The allowed ratio: the noise of a few dozen lags. */
const MOST = 1.25

/** Environments, and their namespaces, by name. */
export interface Sites {
  readonly alone: readonly string[]
  readonly beside: readonly string[]
  /** Those whose API server does not respond. */
  readonly away: readonly string[]
}

/** Names of the sites of a hub: the responsive ones twice, because they are deployed twice. */
export function sitesOf(count: number, away: number): Sites {
  const named = (kind: string, size: number) => Array.from({length: size}, (_, index) => `${kind}-${index}`)
  return {
    alone: named('alone', count - away),
    beside: named('beside', count - away),
    away: named('away', away),
  }
}

interface Surroundings {
  readonly hub: Hub
  readonly helm: CountedHelm
  readonly watched: Watched
}

/**
 * Chains of releases with pods, in Environments with a kubeconfig each, which all lead to this cluster:
 * deployed alone, then as many together with some whose API server accepts a connection and does not respond.
 */
export async function measureSites(sites: Sites, {hub, helm, watched}: Surroundings): Promise<Result> {
  const deploy = async (names: readonly string[]) => {
    const ready = await readinessDuring(watched, async () => {
      await hub.applyFor(Object.fromEntries(names.map((name) => [name, hub.kubeconfig])), CHAIN.file)
      await hub.reach('Ready=True', names)
    })
    const all = await Promise.all(names.map((namespace) => lags(CHAIN.edges, {ready, helm, namespace})))
    return percentile(
      all.flat().toSorted((a, b) => a - b),
      99,
    )
  }
  const alone = await deploy(sites.alone)
  const beside = await whileSilent(async (server) => {
    const silent = at(server, hub.kubeconfig)
    await hub.applyFor(Object.fromEntries(sites.away.map((name) => [name, silent])), CHAIN.file)
    await hub.reach('Reachable=False', sites.away)
    return deploy(sites.beside)
  })
  const ratio = beside / alone
  return {
    what: `the same at ${sites.beside.length} sites beside ${sites.away.length} that cannot be reached: p99`,
    value: milliseconds(beside),
    beside: {what: 'without those', value: milliseconds(alone), ratio: ratio.toFixed(2)},
    target: {text: `<= ${MOST}`, met: ratio <= MOST},
  }
}

function at(server: string, kubeconfig: Kubeconfig): Kubeconfig {
  const clusters = kubeconfig.clusters.map((each) => ({...each, cluster: {...each.cluster, server}}))
  return {...kubeconfig, clusters}
}

/** Does some work while a server accepts connections and does not respond. */
async function whileSilent<T>(work: (server: string) => Promise<T>): Promise<T> {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await work(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
}
