import type {FastifyInstance} from 'fastify'
import {KkError} from '../errors.ts'

/**
 * Lets the service read JSON in UTF-8 and nothing else: bytes that are no UTF-8 are refused instead of replaced, and so
 * are the keys `__proto__` and `constructor.prototype`.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: false})
  // A content type of nothing says nothing.
  app.addHook('onRequest', async ({raw: {headers}}) => {
    const isEmpty = headers['content-length'] === undefined || headers['content-length'] === '0'
    if (isEmpty && headers['transfer-encoding'] === undefined) delete headers['content-type']
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', {parseAs: 'buffer'}, (request, body, done) => {
    try {
      void parse(request, decoder.decode(body as Buffer), done)
    } catch {
      done(new KkError('KK_USAGE', 'the body is not UTF-8', {hint: 'send JSON in UTF-8'}))
    }
  })
}
