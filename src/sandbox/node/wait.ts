import {readFile} from 'node:fs/promises'
import {KkError} from '../../base/errors.ts'
import {pollUntil} from '../../base/poll.ts'
import {runningComponents} from '../control-plane/components.ts'
import {tail} from '../control-plane/tail.ts'
import {logFile} from './parts/start-part.ts'
import type {NodePaths} from './paths.ts'

const POLL_MILLISECONDS = 100
const WITHIN_MILLISECONDS = 60_000

export interface Wait {
  /** The part whose log tells why the wait is long. */
  readonly part: string
  /** The awaited state, as in "the node is Ready". */
  readonly until: string
  readonly signal?: AbortSignal | undefined
}

/** Asks until the answer is true. Rejects with `KK_AIO` and the part's last lines when it ends, or after a minute. */
export async function waitUntil(
  paths: NodePaths,
  {part, until, signal}: Wait,
  answer: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + WITHIN_MILLISECONDS
  const look = async () => {
    if (await answer()) return true
    signal?.throwIfAborted()
    const {components} = await runningComponents(paths)
    if (components[part] === undefined) throw await failed(paths, part, `${part} ended before ${until}`)
    return false
  }
  if (await pollUntil(look, {interval: POLL_MILLISECONDS, deadline, signal})) return
  throw await failed(paths, part, `it took longer than a minute until ${until}`)
}

async function failed(paths: NodePaths, part: string, message: string): Promise<KkError> {
  const text = await readFile(logFile(paths, part), 'utf8').catch(() => '')
  return new KkError('KK_AIO', message, {
    log: tail(text, 8).map((line) => `${part}: ${line}`),
    hint: 'what was started has been removed; "kk aio doctor" checks what the node needs of this machine',
  })
}
