import {setTimeout as pause} from 'node:timers/promises'
import type {Cluster} from '../../cluster/cluster.ts'
import type {ImagePull} from '../../cluster/pulls/image-pull.ts'
import type {RunEvent} from '../events.ts'
import {type PulledAhead, pullAhead} from './pull-ahead.ts'

const PATIENCE = 5_000

interface PullsOptions {
  readonly events: AsyncIterable<RunEvent>
  /** None: the events are handed on as they are. */
  readonly pulls: readonly ImagePull[]
  readonly cluster: Pick<Cluster, 'pulls' | 'inventory'>
  /** Milliseconds that the end of the run waits for what pulls to be taken away; 5,000 unless told. */
  readonly patience?: number
}

/**
 * Hands on the events of a run, and pulls images beside it: not before the objects of its first release are there, whose
 * own images come first. Before the end it says, as `run-noted`, what was pulled.
 */
export async function* withPulls({
  events,
  pulls,
  cluster,
  patience = PATIENCE,
}: PullsOptions): AsyncGenerator<RunEvent> {
  const end = new AbortController()
  let pulling: Promise<PulledAhead> | undefined
  try {
    for await (const event of events) {
      if (pulls.length > 0 && isApplied(event)) pulling ??= pullAhead(pulls, {cluster, signal: end.signal})
      if (event.type === 'run-finished' && pulling) {
        end.abort()
        yield {type: 'run-noted', at: event.at, message: pulledText(await soon(pulling, patience))}
      }
      yield event
    }
  } finally {
    end.abort()
    if (pulling) await soon(pulling, patience)
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
