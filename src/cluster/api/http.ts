import {type Agent, type IncomingMessage, request as plainRequest} from 'node:http'
import {request as secureRequest} from 'node:https'

export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly agent: Agent
  readonly signal: AbortSignal | undefined
  /** Milliseconds until an answer must have begun. */
  readonly answerTimeout: number
  /** Milliseconds that an answer may be silent. */
  readonly silenceTimeout: number
}

/**
 * One HTTP request; resolves when the answer begins. By node:http, for undici costs 40 ms at every start.
 * Rejects with the errors of sockets, or with the code `ETIMEDOUT`.
 */
export async function sendHttp(sent: HttpRequest): Promise<IncomingMessage> {
  const {url, method, headers, body, agent, signal} = sent
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>()
  const request = url.startsWith('https:') ? secureRequest : plainRequest
  const outgoing = request(url, {method, headers, agent, ...(signal && {signal})}, (answer) => {
    clearTimeout(timer)
    answer.setTimeout(sent.silenceTimeout, () => answer.destroy(timedOut('the answer stopped half way')))
    resolve(answer)
  })
  const timer = setTimeout(() => outgoing.destroy(timedOut('no answer in time')), sent.answerTimeout)
  outgoing.on('error', (error) => {
    clearTimeout(timer)
    reject(error)
  })
  outgoing.end(body)
  return promise
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), {code: 'ETIMEDOUT'})
}
