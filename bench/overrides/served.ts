import {whileListening} from '../measure/listening.ts'
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
  return whileListening({command: [kk, ...args], env: {KK_STORE: store}, signal}, ({url, pid}) =>
    work({url, cpu: () => processorTime(pid)}),
  )
}
