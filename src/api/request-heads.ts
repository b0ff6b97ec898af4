import type {IncomingMessage, ServerResponse} from 'node:http'
import type {FastifyInstance} from 'fastify'
import {answerTo} from './errors.ts'

/** Node answers these by itself, and without a body, unless it is told not to. */
export const OWN_ANSWERS = {requireHostHeader: false} as const

/** Answers requests without `Host` and with an `Expect` that nobody meets as everything else is answered. */
export function refuseOddHeads(app: FastifyInstance): void {
  app.addHook('onRequest', async ({raw}, reply) => {
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return
    const {status, body} = answerTo({statusCode: 400, message: 'expected a header Host'})
    await reply.code(status).send(body)
  })
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const {status, body} = answerTo({statusCode: 417, message: 'expected no header Expect but 100-continue'})
    const text = JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    })
    response.end(text)
  })
}
