import {setTimeout as wait} from 'node:timers/promises'
import {execa} from 'execa'
import type {CountedHelm} from '../measure/counted-helm.ts'

export interface Watched {
  readonly kubectl: string
  readonly kubeconfig: string
  readonly signal: AbortSignal
}

/**
 * Does some work, and resolves with the time when each Deployment, `NAMESPACE/NAME`, was first seen with all
 * of its pods ready, in milliseconds since the epoch: the watch receives it at the same time as kk.
 */
export async function readinessDuring(
  {kubectl, kubeconfig, signal}: Watched,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>()
  const fields =
    'jsonpath={.metadata.namespace}/{.metadata.name} {.spec.replicas} {.status.readyReplicas}{"\\n"}'
  const words = ['get', 'deployments', '--all-namespaces', '--watch', '--output', fields]
  const watch = execa(kubectl, [...words, '--kubeconfig', kubeconfig], {
    ...{reject: false, cancelSignal: signal, buffer: false, stderr: 'ignore'},
  })
  const reading = (async () => {
    for await (const line of watch) {
      const [name = '', replicas, ready] = line.split(' ')
      if (ready !== undefined && ready === replicas && !seen.has(name)) seen.set(name, Date.now())
    }
  })()
  try {
    await work()
    // Also wait for the last event.
    await wait(1000, undefined, {signal})
  } finally {
    watch.kill('SIGTERM')
    await reading.catch(() => undefined)
  }
  return seen
}

export interface Edge {
  readonly from: string
  readonly to: string
}

/**
 * For each edge, the milliseconds from the readiness of a release to the start of helm for its dependent,
 * sorted.
 */
export async function lags(
  edges: readonly Edge[],
  {ready, helm, namespace}: {ready: ReadonlyMap<string, number>; helm: CountedHelm; namespace: string},
): Promise<readonly number[]> {
  const starts = (await helm.starts()).filter(
    ({words}) => words[0] === 'install' && words.includes(namespace),
  )
  return edges
    .map(
      ({from, to}) => starts.find(({words}) => words.at(-2) === from)!.at - ready.get(`${namespace}/${to}`)!,
    )
    .toSorted((a, b) => a - b)
}

/** The percentile of sorted values. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN
}
