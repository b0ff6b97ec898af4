import {readFile, writeFile} from 'node:fs/promises'
import type {IncomingMessage, ServerResponse} from 'node:http'
import {Agent, createServer, request} from 'node:https'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {setTimeout as wait} from 'node:timers/promises'
import {inject} from 'vitest'

/** What becomes of one write. */
export interface Fault {
  /** Writes of helm's records (by helm and kk), or of kk's Leases. */
  readonly on: 'record' | 'lease'
  /** Which of these writes, counted from 1. */
  readonly nth: number
  /**
   * `cut-before`: the connection breaks, and the API server never hears of it; `cut-after`: it does as it is told, but
   * the answer is lost; the others are answers 429 and 500 of its own, and an answer that comes late.
   */
  readonly how: 'cut-before' | 'cut-after' | 'throttled' | 'error' | 'delayed'
}

/** Stands before the API server, and lets one write go wrong. Whoever comes is let in. */
export interface FaultProxy {
  /** For `KUBECONFIG`. */
  readonly kubeconfig: string
  /** Arms a fault, or none; the count begins anew. */
  arm(fault: Fault | undefined): void
  /** Whether the fault has been met. */
  struck(): boolean
  close(): Promise<void>
}

const DELAY = 2_000
const TO_THE_NEXT_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'authorization', 'host']

/** Opens a proxy on loopback, with the certificate of the control plane's own API server, whose administrator it is. */
export async function openFaultProxy(directory: string): Promise<FaultProxy> {
  const upstream = JSON.parse(await readFile(inject('run').kubeconfig, 'utf8'))
  const [{cluster}] = upstream.clusters
  const [{user}] = upstream.users
  const decoded = (field: string) => Buffer.from(user[field] ?? cluster[field], 'base64')
  const cert = decoded('client-certificate-data')
  const key = decoded('client-key-data')
  const agent = new Agent({keepAlive: true, cert, key, ca: decoded('certificate-authority-data')})

  let armed: Fault | undefined
  let seen = 0
  let struck = false
  const faultOf = (incoming: IncomingMessage, body: Buffer): Fault['how'] | undefined => {
    if (!armed || struck || writesTo(incoming, body) !== armed.on) return undefined
    seen += 1
    struck = seen === armed.nth
    return struck ? armed.how : undefined
  }

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming)
    const fault = faultOf(incoming, body)
    if (fault === 'cut-before') return void incoming.socket.destroy()
    if (fault === 'throttled') return refuse(outgoing, 429, {'retry-after': '1'})
    if (fault === 'error') return refuse(outgoing, 500)
    if (fault === 'delayed') await wait(DELAY)
    const answer = await forward(incoming, {server: cluster.server, agent, body})
    if (fault === 'cut-after') {
      await buffer(answer)
      return void incoming.socket.destroy()
    }
    outgoing.on('close', () => answer.destroy())
    answer.on('error', () => outgoing.destroy())
    outgoing.writeHead(answer.statusCode ?? 502, passedOn(answer))
    answer.pipe(outgoing)
  }

  const server = createServer({cert, key, ALPNProtocols: ['http/1.1']}, (incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const kubeconfig = join(directory, 'proxy.kubeconfig')
  const {port} = server.address() as AddressInfo
  const clusters = [{...upstream.clusters[0], cluster: {...cluster, server: `https://127.0.0.1:${port}`}}]
  const users = [{...upstream.users[0], user: {token: 'anybody'}}]
  await writeFile(kubeconfig, JSON.stringify({...upstream, clusters, users}), {mode: 0o600})
  return {
    kubeconfig,
    arm(fault) {
      armed = fault
      seen = 0
      struck = false
    },
    struck: () => struck,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function writesTo({method = 'GET', url = ''}: IncomingMessage, body: Buffer): Fault['on'] | undefined {
  if (method === 'GET' || url.includes('dryRun=')) return undefined
  if (/\/namespaces\/kk-system\/leases(\/|\?|$)/.test(url)) return 'lease'
  const isSecret = /\/namespaces\/[^/]+\/secrets(\/|\?|$)/.test(url)
  const name = 'sh.helm.release.v1.'
  return isSecret && (url.includes(name) || body.includes(name)) ? 'record' : undefined
}

interface Onward {
  readonly server: string
  readonly agent: Agent
  readonly body: Buffer
}

function forward(
  {method, url, headers}: IncomingMessage,
  {server, agent, body}: Onward,
): Promise<IncomingMessage> {
  const kept = Object.entries(headers).filter(([name]) => !TO_THE_NEXT_HOP.includes(name))
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>()
  const options = {method: method ?? 'GET', headers: Object.fromEntries(kept), agent}
  request(`${server}${url}`, options, resolve).on('error', reject).end(body)
  return promise
}

function passedOn({headers}: IncomingMessage) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !TO_THE_NEXT_HOP.includes(name)))
}

function refuse(
  outgoing: ServerResponse,
  code: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  const message = code === 429 ? 'too many requests, please try again later' : 'the test lets this go wrong'
  outgoing.writeHead(code, {'content-type': 'application/json', ...headers})
  outgoing.end(JSON.stringify({kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message}))
}
