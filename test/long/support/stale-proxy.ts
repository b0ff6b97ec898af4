import type {ServerResponse} from 'node:http'
import {text} from 'node:stream/consumers'
import {type ApiProxy, type Exchange, openApiProxy} from './api-proxy.ts'

/**
 * An API server that is behind (the faults of Sieve: staleness, and time travel), or that says nothing.
 * Objects that are asked for by name, and writes, are always of now.
 */
export interface StaleProxy extends ApiProxy {
  /** From now on watches tell everything so many milliseconds later. */
  delay(milliseconds: number): void
  /** How many requests for this path have come. */
  asked(path: string): number
  /** Keeps what every list that has come would be now. */
  remember(): Promise<void>
  /** Answers lists as they were remembered, and watches with nothing; ends with a cut. */
  lag(isLagging: boolean): void
  /** Lets connections stand and says nothing on them, until they are cut. */
  silence(isSilent: boolean): void
  /**
   * Says nothing more on the watches that stand, as if what is between had forgotten them; new ones are
   * served.
   */
  mute(): void
  /** Says on every watch, once, that its place is known no more. */
  forget(): void
}

export async function openStaleProxy(kubeconfig: string): Promise<StaleProxy> {
  const lists = new Map<string, Exchange>()
  const remembered = new Map<string, string>()
  const counts = new Map<string, number>()
  const watches = new Set<ServerResponse>()
  const muted = new WeakSet<ServerResponse>()
  let late = 0
  let isLagging = false
  let isSilent = false

  const watch = async ({outgoing, forward}: Exchange): Promise<void> => {
    const answer = await forward()
    const isStill = () => isSilent || isLagging || muted.has(outgoing)
    const later = (tell: () => void) => void setTimeout(() => isStill() || tell(), late)
    outgoing.on('close', () => watches.delete(outgoing) && answer.destroy())
    watches.add(outgoing)
    outgoing.writeHead(answer.statusCode!, {'content-type': 'application/json'}).flushHeaders()
    answer.on('data', (chunk) => later(() => outgoing.write(chunk)))
    answer.on('end', () => later(() => outgoing.end()))
    answer.on('error', () => outgoing.destroy())
  }
  const handle = async (exchange: Exchange): Promise<void> => {
    const {method, url, accept, outgoing} = exchange
    const [path = ''] = url.split('?')
    counts.set(path, (counts.get(path) ?? 0) + 1)
    if (isSilent) return
    if (method !== 'GET') return exchange.pass(await exchange.forward())
    if (url.includes('watch=true')) return watch(exchange)
    const key = `${accept} ${url}`
    const old = remembered.get(key)
    if (isLagging && old !== undefined) {
      outgoing.writeHead(200, {'content-type': 'application/json'}).end(old)
      return
    }
    if (url.includes('limit=')) lists.set(key, exchange)
    exchange.pass(await exchange.forward())
  }
  const proxy = await openApiProxy({kubeconfig, handle})
  return {
    ...proxy,
    delay: (milliseconds) => (late = milliseconds),
    asked: (path) => counts.get(path) ?? 0,
    async remember() {
      for (const [key, exchange] of lists) {
        const answer = await exchange.forward()
        if (answer.statusCode === 200) remembered.set(key, await text(answer))
        else answer.resume()
      }
    },
    lag(is) {
      isLagging = is
      proxy.cut(true)
      proxy.cut(false)
    },
    silence: (is) => (isSilent = is),
    mute() {
      for (const outgoing of watches) muted.add(outgoing)
    },
    forget() {
      const object = {kind: 'Status', code: 410, message: 'too old resource version'}
      for (const outgoing of watches) outgoing.end(`${JSON.stringify({type: 'ERROR', object})}\n`)
    },
  }
}
