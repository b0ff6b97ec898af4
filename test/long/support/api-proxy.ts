import {readFile} from 'node:fs/promises'
import type {IncomingMessage, ServerResponse} from 'node:http'
import {Agent, createServer, request} from 'node:https'
import type {AddressInfo, Socket} from 'node:net'
import {buffer} from 'node:stream/consumers'

/** A request that has come, and what may become of it. */
export interface Exchange {
  readonly method: string
  readonly url: string
  readonly body: Buffer
  readonly accept: string | undefined
  readonly outgoing: ServerResponse
  /** Asks the API server. */
  forward(): Promise<IncomingMessage>
  /** Sends its answer on, as it comes. */
  pass(answer: IncomingMessage): void
  /** Breaks the connection. */
  cut(): void
}

/** Stands on loopback before an API server, with the certificate of the server itself. */
export interface ApiProxy {
  /** `https://127.0.0.1:…`. */
  readonly server: string
  /** Breaks every connection, and each that comes later; or lets them come again. */
  cut(isCut: boolean): void
  close(): Promise<void>
}

interface ProxyOptions {
  /** Of the administrator of the control plane. */
  readonly kubeconfig: string
  /** Whether whoever comes is the administrator; otherwise everybody is who they say. */
  readonly asAdministrator?: boolean
  readonly handle: (exchange: Exchange) => Promise<void>
}

const TO_THE_NEXT_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'host']

export async function openApiProxy({
  kubeconfig,
  asAdministrator = false,
  handle,
}: ProxyOptions): Promise<ApiProxy> {
  const upstream = JSON.parse(await readFile(kubeconfig, 'utf8'))
  const [{cluster}] = upstream.clusters
  const [{user}] = upstream.users
  const decoded = (field: string) => Buffer.from(user[field] ?? cluster[field], 'base64')
  const cert = decoded('client-certificate-data')
  const key = decoded('client-key-data')
  const ca = decoded('certificate-authority-data')
  const agent = new Agent({keepAlive: true, ca, ...(asAdministrator && {cert, key})})
  const dropped = asAdministrator ? [...TO_THE_NEXT_HOP, 'authorization'] : TO_THE_NEXT_HOP
  const kept = ({headers}: IncomingMessage, names: readonly string[]) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const {method = 'GET', url = '', headers} = incoming
    const body = await buffer(incoming)
    const forward = () => {
      const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>()
      const options = {method, headers: kept(incoming, dropped), agent}
      request(`${cluster.server}${url}`, options, resolve).on('error', reject).end(body)
      return promise
    }
    const pass = (from: IncomingMessage) => {
      outgoing.on('close', () => from.destroy())
      from.on('error', () => outgoing.destroy())
      outgoing.writeHead(from.statusCode ?? 502, kept(from, TO_THE_NEXT_HOP))
      // A watch on which nothing happens has been answered all the same.
      outgoing.flushHeaders()
      from.pipe(outgoing)
    }
    const cut = () => void incoming.socket.destroy()
    await handle({method, url, body, accept: headers.accept, outgoing, forward, pass, cut})
  }

  const server = createServer({cert, key, ALPNProtocols: ['http/1.1']}, (incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  const sockets = new Set<Socket>()
  let isCut = false
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    if (isCut) socket.destroy()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(is) {
      isCut = is
      if (is) for (const socket of sockets) socket.destroy()
    },
    async close() {
      agent.destroy()
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Answers as the API server does when it refuses. */
export function refuse(
  {outgoing}: Pick<Exchange, 'outgoing'>,
  code: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  const message = code === 429 ? 'too many requests, please try again later' : 'the test lets this go wrong'
  outgoing.writeHead(code, {'content-type': 'application/json', ...headers})
  outgoing.end(JSON.stringify({kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message}))
}
