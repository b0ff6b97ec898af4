import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'
import {type ApiClient, openClient} from '../../../src/kubernetes/api/client.ts'
import type {KubeconfigUser} from '../../../src/kubernetes/api/kubeconfig.ts'

interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (asked: Asked, response: ServerResponse) => void

export interface ScriptedServer {
  readonly url: string
  readonly client: ApiClient
  readonly asked: Asked[]
  stop(): Promise<void>
}

/** An API server that answers as the test says: for faults that a real one shows only by accident. */
export async function scriptedServer(answer: Answer, user: KubeconfigUser = {}): Promise<ScriptedServer> {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://server')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    asked.push(one)
    answer(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = clientOf(url, user)
  const stop = async () => {
    client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  return {url, client, asked, stop}
}

/** A client of the context `test` at this address. */
export function clientOf(server: string, user: KubeconfigUser = {}): ApiClient {
  return openClient({context: 'test', server, kubeconfig: undefined, cluster: {server}, user})
}

export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body))
}

/** An answer as the API server refuses. */
export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, {'content-type': 'application/json', ...headers})
    .end(JSON.stringify({kind: 'Status', status: 'Failure', message, code: status}))
}
