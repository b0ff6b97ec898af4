import {once} from 'node:events'
import {execa} from 'execa'
import {processorTime} from '../measure/processor-time.ts'

const UNLIMITED = '1000000000'

export interface Served {
  readonly url: string
  /** Processor time of the service so far, in milliseconds. */
  cpu(): number
}

/** Does the work against `kk serve` on a store, and stops it. */
export async function onService<T>(
  {
    kk,
    store,
    facts,
    signal,
  }: {readonly kk: string; readonly store: string; readonly facts: string; readonly signal: AbortSignal},
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const args = [
    'serve',
    '--facts',
    facts,
    '--listen',
    '127.0.0.1:0',
    '--log-level',
    'error',
    '--rate-limit',
    UNLIMITED,
  ]
  const server = execa(kk, args, {
    env: {KK_STORE: store},
    reject: false,
    cancelSignal: signal,
    stdout: 'ignore',
    buffer: false,
  })
  try {
    const [said] = await once(server.stderr, 'data', {signal})
    const url = /http:\S+/.exec(String(said))?.[0]
    if (url === undefined) throw new Error(`kk serve said: ${said}`)
    return await work({url, cpu: () => processorTime(server.pid!)})
  } finally {
    server.kill('SIGTERM')
    await server
  }
}
