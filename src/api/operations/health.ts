import type {FastifyInstance, FastifySchema} from 'fastify'
import {answerTo} from '../errors.ts'

const ANSWER = {
  type: 'object',
  required: ['status'],
  properties: {status: {type: 'string', examples: ['ok']}},
} as const

/** `/healthz`: the process answers. `/readyz`: so does what it works with. */
export function healthRoutes(app: FastifyInstance, ready: () => Promise<unknown>): void {
  const schema = (summary: string) => ({summary, tags: ['operation'], security: [], response: {200: ANSWER}})
  // Probes come from one address, whatever else does.
  const config = {rateLimit: false} as const
  app.get('/healthz', {config, schema: schema('Whether the service is alive')}, async () => ({status: 'ok'}))
  app.get(
    '/readyz',
    {config, schema: schema('Whether the service can do its work')} as {schema: FastifySchema},
    async (request, reply) => {
      try {
        await ready()
        return reply.send({status: 'ok'})
      } catch (error) {
        request.log.warn({error: answerTo(error).body.error}, 'not ready')
        return reply.code(503).send({status: 'not ready'})
      }
    },
  )
}
