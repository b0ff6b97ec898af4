import {asKkError, type KkError} from '../../base/errors.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import {changeSignal} from '../../kubernetes/watch/change-signal.ts'
import type {StatusReport} from './release-status.ts'

/** One poll of the cluster. */
export type StatusLook =
  | {readonly at: Date; readonly report: StatusReport}
  /** The cluster could not be read; the next poll may succeed. */
  | {readonly at: Date; readonly problem: KkError}

interface WatchOptions {
  readonly read: () => Promise<StatusReport>
  readonly cluster: {readonly leases: Leases}
  readonly signal: AbortSignal
  /** The poll interval without a change (`calm`) and the minimum interval (`soon`), in milliseconds. */
  readonly pace?: {readonly calm: number; readonly soon: number}
}

/** Health is polled, because there are too many workloads to watch. In milliseconds. */
const POLL_INTERVALS = {calm: 3_000, soon: 400}

/**
 * Yields a report after each change of a record or a Lease, and at the poll interval for health, until the
 * signal.
 */
export async function* watchStatus({
  read,
  cluster,
  signal,
  pace = POLL_INTERVALS,
}: WatchOptions): AsyncGenerator<StatusLook> {
  const changed = changeSignal()
  cluster.leases.onChange(signal, changed.notify)
  signal.addEventListener('abort', changed.notify)
  while (!signal.aborted) {
    const began = performance.now()
    yield await takeSnapshot(read)
    await changed.wait(pace.calm)
    const rest = pace.soon - (performance.now() - began)
    if (rest > 0 && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, rest))
  }
}

/** Errors that the next poll may not have. */
const RETRIED: ReadonlySet<string> = new Set(['KK_UNREACHABLE', 'KK_API', 'KK_API_SERVER'])

async function takeSnapshot(read: () => Promise<StatusReport>): Promise<StatusLook> {
  try {
    return {report: await read(), at: new Date()}
  } catch (error) {
    const problem = asKkError(error)
    if (!RETRIED.has(problem.code)) throw error
    return {problem, at: new Date()}
  }
}
