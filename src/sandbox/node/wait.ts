import {readFile} from 'node:fs/promises'
import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {runningComponents} from '../control-plane/components.ts'
import {tail} from '../control-plane/tail.ts'
import {logFile} from './parts/start-part.ts'
import type {NodePaths} from './paths.ts'

const POLL_INTERVAL_MS = 100
const TIMEOUT_MS = 60_000

export interface Wait {
  /** The part whose log explains a failed wait. */
  readonly part: string
  /** The expected state, as in "the node is Ready". */
  readonly until: string
  readonly signal?: AbortSignal | undefined
  /** Starts the part again if it exited for a reason that passes; returns whether it did. */
  readonly restart?: (() => Promise<boolean>) | undefined
}

/** Polls until ready. Rejects with `KK_AIO` and the part's last lines if it exits, or after a minute. */
export async function waitUntil(
  paths: NodePaths,
  {part, until, signal, restart}: Wait,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  const poll = async () => {
    if (await isReady()) return true
    signal?.throwIfAborted()
    const {components} = await runningComponents(paths)
    if (components[part] === undefined && !(await restart?.()))
      throw await failed(paths, part, `${part} exited before ${until}`)
    return false
  }
  if (await pollUntil(poll, {interval: POLL_INTERVAL_MS, deadline, signal})) return
  throw await failed(paths, part, `timed out after a minute, before ${until}`)
}

async function failed(paths: NodePaths, part: string, message: string): Promise<KkError> {
  const text = await readFile(logFile(paths, part), 'utf8').catch(() => '')
  return new KkError('KK_AIO', message, {
    log: tail(text, 8).map((line) => `${part}: ${line}`),
    hint: 'everything that was started has been removed; "kk aio doctor" checks the requirements of the node',
  })
}
