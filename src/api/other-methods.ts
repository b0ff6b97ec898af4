import type {FastifyInstance, RouteOptions} from 'fastify'
import type {ErrorBody} from './errors.ts'

/** Collects the routes that are made after this. Gives what then answers their other methods with 405 and those that they have. */
export function collectMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({url, method}: RouteOptions) => {
    const methods = known.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    known.set(url, methods)
  })
  return () => {
    for (const [url, has] of [...known]) {
      const allow = [...has].sort().join(', ')
      const others = app.supportedMethods.filter((method) => !has.has(method))
      app.route({
        url,
        method: others,
        schema: {hide: true},
        // Before the body is looked at.
        onRequest: async (request, reply) => {
          const error: ErrorBody['error'] = {
            code: 'KK_METHOD',
            message: `expected ${allow} of this address, got ${request.method}`,
            hint: 'see /docs',
          }
          await reply.code(405).header('allow', allow).send({error})
        },
        handler: async () => undefined,
      })
    }
  }
}
