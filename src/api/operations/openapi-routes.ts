import type {FastifyInstance} from 'fastify'
import type {swagger} from '../libraries.ts'
import {documentationPage} from '../pages/documentation.ts'
import type {OpenApi} from './open-api.ts'

interface DescribeOptions {
  readonly plugin: typeof swagger
  readonly version: string
  /** Whether requests need a token. */
  readonly secured: boolean
}

/** OpenAPI 3.1 of all routes, made from the schemas that check them. To be called before any route is made. */
export async function describeApi(
  app: FastifyInstance,
  {plugin, version, secured}: DescribeOptions,
): Promise<void> {
  await app.register(plugin, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'kk',
        version,
        description:
          'Overrides of Helm charts: what kk generates, what the deployer gave, and both combined.',
        license: {name: 'Apache-2.0', identifier: 'Apache-2.0'},
      },
      ...(secured && {
        components: {securitySchemes: {bearer: {type: 'http', scheme: 'bearer'}}},
        security: [{bearer: []}],
      }),
    },
  })
}

/** `/openapi.json`, and the same for people at `/docs`. */
export function openApiRoutes(app: FastifyInstance): void {
  const document = () => app.swagger() as OpenApi
  app.get('/openapi.json', {schema: {hide: true}}, async () => document())
  app.get('/docs', {schema: {hide: true}}, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(documentationPage(document())),
  )
}
