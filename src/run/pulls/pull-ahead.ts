import {setTimeout as pause} from 'node:timers/promises'
import type {Cluster} from '../../cluster/cluster.ts'
import type {BegunPull, ImagePull, PullProgress} from '../../cluster/pulls/image-pull.ts'
import {asKkError} from '../../errors.ts'

const LOOK_EVERY = 2_000

export interface PulledAhead {
  readonly images: number
  readonly nodes: number
  readonly pulled: number
  readonly wanted: number
  readonly seconds: number
  /** Why there was less than was wanted, for people. */
  readonly troubles: readonly string[]
}

/** Pulls images until all are there, or the signal; takes away what pulled. Never rejects: nothing depends on it. */
export async function pullAhead(
  pulls: readonly ImagePull[],
  {cluster, signal}: {readonly cluster: Pick<Cluster, 'pulls' | 'inventory'>; readonly signal: AbortSignal},
): Promise<PulledAhead> {
  const started = Date.now()
  const nodes = await countNodes(cluster)
  const done = await Promise.all(pulls.map((pull) => pullOne(pull, nodes, cluster, signal)))
  return {
    images: new Set(pulls.flatMap(({images}) => images.map(({image}) => image))).size,
    nodes,
    pulled: done.reduce((sum, {pulled}) => sum + pulled, 0),
    wanted: done.reduce((sum, {wanted}) => sum + wanted, 0),
    seconds: (Date.now() - started) / 1000,
    troubles: [...new Set(done.flatMap(({trouble}) => trouble ?? []))],
  }
}

/** One, where nodes may not be looked at. */
async function countNodes(cluster: Pick<Cluster, 'inventory'>): Promise<number> {
  const {nodes = []} = await cluster.inventory('nodes').catch(() => ({nodes: []}))
  return Math.max(1, nodes.length)
}

type Pulled = PullProgress & {readonly trouble?: string}

async function pullOne(
  pull: ImagePull,
  nodes: number,
  {pulls}: Pick<Cluster, 'pulls'>,
  signal: AbortSignal,
): Promise<Pulled> {
  const nothing = {wanted: pull.images.length * nodes, pulled: 0}
  let begun: BegunPull | undefined
  let last: PullProgress = nothing
  try {
    if (!(await pulls.may(pull.namespace)))
      return {...nothing, trouble: `you may not make Jobs in the namespace ${pull.namespace}`}
    if (signal.aborted) return nothing
    begun = await pulls.begin(pull, nodes)
    while (!signal.aborted && last.pulled < last.wanted) {
      await pause(LOOK_EVERY, undefined, {signal}).catch(() => undefined)
      last = await begun.progress()
    }
    return last
  } catch (error) {
    return {...last, trouble: asKkError(error).message}
  } finally {
    await begun?.end().catch(() => undefined)
  }
}
