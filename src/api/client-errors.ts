import {STATUS_CODES} from 'node:http'
import type {Socket} from 'node:net'
import {answerTo} from './errors.ts'

const REASONS: Readonly<Record<string, {readonly statusCode: number; readonly message: string}>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {statusCode: 408, message: 'the request did not arrive in time'},
  HPE_HEADER_OVERFLOW: {statusCode: 431, message: 'the head of the request is too long'},
  HPE_INVALID_METHOD: {statusCode: 400, message: 'expected a method of HTTP'},
}
const UNREADABLE = {statusCode: 400, message: 'expected a request of HTTP/1.1'}

/** Answers what Node cannot read, or does not wait for any longer, as everything else is answered, and hangs up. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const {status, body} = answerTo(REASONS[error.code ?? ''] ?? UNREADABLE)
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}
