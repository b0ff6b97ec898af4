import {createServer, request} from 'node:http'
import type {AddressInfo} from 'node:net'
import {pipeline} from 'node:stream/promises'
import {setTimeout as pause} from 'node:timers/promises'

export interface SlowRegistry {
  /** As images name it: `localhost:40123`. */
  readonly name: string
  close(): Promise<void>
}

/**
 * A registry on loopback that proxies another one, with a limit in bytes per second for all clients together.
 */
export async function slowRegistry(port: number, bytesPerSecond: number): Promise<SlowRegistry> {
  const slowed = slowdown(bytesPerSecond)
  const server = createServer((asked, answer) => {
    const {method, url, headers} = asked
    const forwarded = request({host: '127.0.0.1', port, method, path: url, headers}, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      // A client may disconnect at any time.
      pipeline(response, slowed, answer).catch(() => answer.destroy())
    })
    forwarded.on('error', () => answer.destroy())
    pipeline(asked, forwarded).catch(() => answer.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    name: `localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Forwards chunks of all streams one after the other, each when those before it have had their time. */
function slowdown(bytesPerSecond: number) {
  let free = 0
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      const now = performance.now()
      free = Math.max(free, now) + (chunk.length / bytesPerSecond) * 1000
      await pause(free - now)
      yield chunk
    }
  }
}
