import {join} from 'node:path'
import {execa} from 'execa'

const SCRIPT = join(import.meta.dirname, 'load.lua')

export interface Load {
  readonly url: string
  readonly method: 'GET' | 'PATCH'
  /** Requested one after the other. */
  readonly charts: readonly string[]
  /** Open connections; each sends its next request when the last one is answered. */
  readonly atOnce: number
  readonly seconds: number
  readonly signal: AbortSignal
}

export interface Measured {
  readonly requests: number
  /** Milliseconds. */
  readonly median: number
  /** Milliseconds that only one request in a hundred exceeds. */
  readonly p99: number
}

/** Puts a load on the service with wrk, on one core. Rejects if a response is not a success. */
export async function load({url, method, charts, atOnce, seconds, signal}: Load): Promise<Measured> {
  const options = ['--threads', '1', '--connections', String(atOnce), '--duration', `${seconds}s`]
  const {stdout} = await execa('wrk', [...options, '--script', SCRIPT, url, '--', method, ...charts], {
    cancelSignal: signal,
  })
  const {requests, failed, p50, p99} = JSON.parse(stdout.trim().split('\n').at(-1)!)
  if (failed > 0) throw new Error(`${failed} of ${requests} ${method} requests failed:\n${stdout}`)
  return {requests, median: p50 / 1000, p99: p99 / 1000}
}
