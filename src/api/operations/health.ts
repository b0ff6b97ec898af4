import type {FastifyInstance, FastifySchema} from 'fastify'
import {ERRORS, type ErrorCode} from '../../errors.ts'
import {answerTo} from '../errors.ts'
import {ERROR} from '../helm-charts/schemas.ts'

const STATUS = {type: 'string', examples: ['ok']} as const
const ALIVE = {type: 'object', required: ['status'], properties: {status: STATUS}} as const
const NOT_READY = {
  ...ERROR,
  description: 'It cannot, e.g. because the store does not answer, or was encrypted with another key.',
  required: ['status', 'error'],
  properties: {...ERROR.properties, status: {...STATUS, examples: ['not ready']}},
} as const

/** `/healthz`: the process answers. `/readyz`: so does what it works with. */
export function healthRoutes(app: FastifyInstance, ready: () => Promise<unknown>): void {
  const schema = (summary: string, answers: object): FastifySchema =>
    ({summary, tags: ['operation'], security: [], response: {200: ALIVE, ...answers}}) as FastifySchema
  app.get('/healthz', {schema: schema('Whether the service is alive', {})}, async () => ({status: 'ok'}))
  app.get(
    '/readyz',
    {schema: schema('Whether the service can do its work', {503: NOT_READY})},
    async (request, reply) => {
      try {
        await ready()
        return reply.send({status: 'ok'})
      } catch (error) {
        const {error: found} = answerTo(error).body
        request.log.warn({error: found}, 'not ready')
        return reply.code(503).send({status: 'not ready', error: withoutDetails(found.code)})
      }
    },
  )
}

/** Anybody may ask: where the store is, and what it says, stands in the log. */
function withoutDetails(code: string) {
  const known = code === 'KK_BUG' ? undefined : ERRORS[code as ErrorCode]
  return {code, message: known?.meaning ?? 'something went wrong inside kk', hint: 'see the log of kk serve'}
}
