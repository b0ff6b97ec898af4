import {setTimeout as pause} from 'node:timers/promises'
import {asKkError} from '../base/errors.ts'
import type {ImagePull, ImagePulls, PullInProgress, PullProgress} from '../kubernetes/image-pulls.ts'
import type {InventoryReader} from '../kubernetes/inventory/inventory.ts'
import type {RunEvent} from './events.ts'
import type {RunObserver} from './observer.ts'

const CLEANUP_TIMEOUT_MS = 5_000

interface PullsOptions {
  readonly pulls: readonly ImagePull[]
  readonly cluster: {readonly pulls: ImagePulls; readonly inventory: InventoryReader}
  /**
   * How long the end of the run waits for the removal of the pulling Jobs, in milliseconds; defaults to
   * 5,000.
   */
  readonly patience?: number
}

/**
 * Pulls images during a run, starting when the objects of its first release exist, whose own images come
 * first. At the end, reports the pulled images as `run-noted`.
 */
export function pullsAhead({pulls, cluster, patience = CLEANUP_TIMEOUT_MS}: PullsOptions): RunObserver {
  const end = new AbortController()
  let pulling: Promise<PulledAhead> | undefined
  return {
    observe(event) {
      if (pulls.length > 0 && isApplied(event)) pulling ??= pullAhead(pulls, {cluster, signal: end.signal})
    },
    async finish(_outcome, run) {
      end.abort()
      if (pulling) run.noted(pulledText(await withTimeout(pulling, patience)))
    },
  }
}

/** Limits the wait for the removal of the Job, which expires on its own. */
function withTimeout(pulling: Promise<PulledAhead>, patience: number): Promise<PulledAhead | undefined> {
  return Promise.race([pulling, pause(patience, undefined, {ref: false})])
}

function isApplied(event: RunEvent): boolean {
  return event.type === 'release-progressed' && event.phase === 'gate'
}

function pulledText(done: PulledAhead | undefined): string {
  if (!done) return 'the images pulled ahead are not known: the cluster did not answer at the end'
  const {images, nodes, pulled, wanted, seconds, troubles} = done
  const subject = `${images} ${images === 1 ? 'image' : 'images'} of later releases to ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`
  const why = troubles.length === 0 ? '' : `: ${troubles.join('; ')}`
  if (pulled === 0) return `pulled none of ${subject} ahead${why}`
  const many = pulled < wanted ? `, ${wanted - pulled} of them not yet` : ''
  return `pulled ${subject} ahead, in ${Math.round(seconds)} s${many}${why}`
}

const POLL_INTERVAL_MS = 2_000

interface PulledAhead {
  readonly images: number
  readonly nodes: number
  readonly pulled: number
  readonly wanted: number
  readonly seconds: number
  /** The reasons why fewer images than wanted were pulled, for display. */
  readonly troubles: readonly string[]
}

/**
 * Pulls images until all are pulled or the signal aborts; removes the pulling Jobs. Never rejects: nothing
 * depends on it.
 */
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

/** Counts the nodes; 1 if they cannot be read. */
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
  let current: PullInProgress | undefined
  let last: PullProgress = nothing
  try {
    if (!(await pulls.may(pull.namespace)))
      return {...nothing, trouble: `you may not create Jobs in the namespace ${pull.namespace}`}
    if (signal.aborted) return nothing
    current = await pulls.begin(pull, nodes)
    while (!signal.aborted && last.pulled < last.wanted) {
      await pause(POLL_INTERVAL_MS, undefined, {signal}).catch(() => undefined)
      last = await current.progress()
    }
    return last
  } catch (error) {
    return {...last, trouble: asKkError(error).message}
  } finally {
    await current?.end().catch(() => undefined)
  }
}
