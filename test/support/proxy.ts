import {createServer, type IncomingMessage, request} from 'node:http'
import {type AddressInfo, connect, type Socket} from 'node:net'
import {onTestFinished} from 'vitest'

export interface TestProxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /**
   * What it was asked for, with the login: `CONNECT faraway.invalid:443`, `GET http://faraway.invalid/v2/`.
   */
  readonly asked: readonly string[]
}

/**
 * Starts an HTTP proxy that takes each host for this machine, with the port that is asked for. Stops it when
 * the test ends.
 */
export async function openProxy(): Promise<TestProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const note = ({method, url, headers}: IncomingMessage) => {
    const login = headers['proxy-authorization']
    asked.push([method, url, ...(login === undefined ? [] : [login])].join(' '))
  }
  const server = createServer((incoming, answer) => {
    note(incoming)
    const {port, pathname, search} = new URL(incoming.url!)
    const options = {port, path: pathname + search, method: incoming.method, headers: incoming.headers}
    const outgoing = request({host: '127.0.0.1', ...options}, (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(outgoing)
  })
  server.on('connect', (incoming, socket: Socket) => {
    note(incoming)
    const target = connect(Number(incoming.url!.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const each of [target, socket]) {
      sockets.add(each)
      each.on('error', () => each.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked}
}
