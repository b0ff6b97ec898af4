import {setTimeout as pause} from 'node:timers/promises'
import {asKkError} from '../base/errors.ts'
import type {BegunPull, ImagePull, ImagePulls, PullProgress} from '../kubernetes/image-pulls.ts'
import type {InventoryReader} from '../kubernetes/inventory/inventory.ts'
import type {RunEvent} from './events.ts'
import type {RunObserver} from './observer.ts'

const PATIENCE = 5_000

interface PullsOptions {
  readonly pulls: readonly ImagePull[]
  readonly cluster: {readonly pulls: ImagePulls; readonly inventory: InventoryReader}
  /** Milliseconds that the end of the run waits for what pulls to be taken away; 5,000 unless told. */
  readonly patience?: number
}

/**
 * Pulls images beside a run: not before the objects of its first release are there, whose own images come first. At the end
 * it tells, as `run-noted`, what was pulled.
 */
export function pullsAhead({pulls, cluster, patience = PATIENCE}: PullsOptions): RunObserver {
  const end = new AbortController()
  let pulling: Promise<PulledAhead> | undefined
  return {
    observe(event) {
      if (pulls.length > 0 && isApplied(event)) pulling ??= pullAhead(pulls, {cluster, signal: end.signal})
    },
    async finish(_outcome, run) {
      end.abort()
      if (pulling) run.noted(pulledText(await soon(pulling, patience)))
    },
  }
}

/** A run ends without it: the Job goes by itself. */
function soon(pulling: Promise<PulledAhead>, patience: number): Promise<PulledAhead | undefined> {
  return Promise.race([pulling, pause(patience, undefined, {ref: false})])
}

function isApplied(event: RunEvent): boolean {
  return event.type === 'release-progressed' && event.phase === 'gate'
}

function pulledText(done: PulledAhead | undefined): string {
  if (!done) return 'what was pulled ahead is not known: the cluster did not answer at the end'
  const {images, nodes, pulled, wanted, seconds, troubles} = done
  const where = `${images} ${images === 1 ? 'image' : 'images'} of later releases to ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`
  const why = troubles.length === 0 ? '' : `: ${troubles.join('; ')}`
  if (pulled === 0) return `pulled none of ${where} ahead${why}`
  const many = pulled < wanted ? `, ${wanted - pulled} of them not yet` : ''
  return `pulled ${where} ahead, in ${Math.round(seconds)} s${many}${why}`
}

const LOOK_EVERY = 2_000

interface PulledAhead {
  readonly images: number
  readonly nodes: number
  readonly pulled: number
  readonly wanted: number
  readonly seconds: number
  /** Why there was less than was wanted, for people. */
  readonly troubles: readonly string[]
}

/** Pulls images until all are there, or the signal; takes away what pulled. Never rejects: nothing depends on it. */
async function pullAhead(
  pulls: readonly ImagePull[],
  {
    cluster,
    signal,
  }: {
    readonly cluster: {readonly pulls: ImagePulls; readonly inventory: InventoryReader}
    readonly signal: AbortSignal
  },
): Promise<PulledAhead> {
  const started = Date.now()
  const nodes = await countNodes(cluster.inventory)
  const done = await Promise.all(pulls.map((pull) => pullOne(pull, nodes, cluster.pulls, signal)))
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
async function countNodes(inventory: InventoryReader): Promise<number> {
  const {nodes = []} = await inventory.read('nodes').catch(() => ({nodes: []}))
  return Math.max(1, nodes.length)
}

type Pulled = PullProgress & {readonly trouble?: string}

async function pullOne(
  pull: ImagePull,
  nodes: number,
  pulls: ImagePulls,
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
