import type {Agent, IncomingMessage} from 'node:http'
import type {WebSocket} from 'ws'

interface WebSocketRequest {
  /** The address, with the scheme of HTTP. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The subprotocols, the preferred one first. */
  readonly protocols: readonly string[]
  readonly agent: Agent
  readonly signal: AbortSignal | undefined
  /** Milliseconds until the server must have answered. */
  readonly timeout: number
}

/** An open WebSocket, or the response of a server that refused it. */
type Upgrade = {readonly socket: WebSocket} | {readonly refusal: IncomingMessage}

/**
 * Opens a WebSocket over the connections of an agent. It is paused, so that no message arrives before the
 * caller listens. Rejects with the errors of sockets.
 */
export async function openWebSocket(options: WebSocketRequest): Promise<Upgrade> {
  // Imported on use: few commands need it.
  const {WebSocket} = await import('ws')
  const {url, headers, agent, signal, timeout} = options
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [...options.protocols], {
    headers,
    agent,
    handshakeTimeout: timeout,
    perMessageDeflate: false,
  })
  const {promise, resolve, reject} = Promise.withResolvers<Upgrade>()
  const abort = () => socket.terminate()
  signal?.addEventListener('abort', abort, {once: true})
  socket.once('open', () => {
    socket.pause()
    resolve({socket})
  })
  socket.once('unexpected-response', (_, refusal) => resolve({refusal}))
  socket.on('error', reject)
  socket.once('close', () => signal?.removeEventListener('abort', abort))
  return promise
}
