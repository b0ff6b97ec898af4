import type {FastifyInstance} from 'fastify'
import type {OpenAPIV3_1} from 'openapi-types'
import {type Markup, markup} from '../report/files/markup.ts'
import type {swagger} from './libraries.ts'
import {HTML, page} from './pages/document.ts'

interface DescribeOptions {
  readonly plugin: typeof swagger
  readonly version: string
  /** Whether requests need a token. */
  readonly secured: boolean
}

/**
 * Generates OpenAPI 3.1 for all routes from their validation schemas. Must be called before any route is
 * added.
 */
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
          'Overrides of Helm charts: those that kk generates (system), those that the deployer set (user), and both combined.',
        license: {name: 'Apache-2.0', identifier: 'Apache-2.0'},
      },
      ...(secured && {
        components: {securitySchemes: {bearer: {type: 'http', scheme: 'bearer'}}},
        security: [{bearer: []}],
      }),
    },
  })
}

/** Adds `/openapi.json`, and the same as a page at `/docs`. */
export function openApiRoutes(app: FastifyInstance): void {
  const document = () => app.swagger() as OpenApi
  app.get('/openapi.json', {schema: {hide: true}}, async () => document())
  app.get('/docs', {schema: {hide: true}}, async (_request, reply) =>
    reply.type(HTML).send(documentationPage(document())),
  )
}

type Operation = NonNullable<NonNullable<NonNullable<OpenApi['paths']>[string]>['get']>
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
}

const METHODS = ['get', 'patch', 'put', 'post', 'delete'] as const

/** Returns an OpenAPI document as a page without scripts. */
function documentationPage(document: OpenApi): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods?.[method]
      return operation ? [operationSection(method, path, operation)] : []
    }),
  )
  return page(
    'REST API of kk',
    markup`<h1>REST API of kk</h1>
<p>${document.info.description ?? ''} For programs: <a href="/openapi.json">openapi.json</a>.</p>
${operations}`,
    {item: '/docs'},
  )
}

function operationSection(method: string, path: string, operation: Operation): Markup {
  const parameters = (operation.parameters ?? []) as readonly Parameter[]
  const body = (
    operation.requestBody as {readonly content?: Readonly<Record<string, {readonly schema?: object}>>}
  )?.content?.['application/json']?.schema
  return markup`<section>
<h2><code>${method.toUpperCase()} ${path}</code></h2>
<p>${operation.summary ?? ''}</p>
${parameters.length > 0 ? parameterTable(parameters) : markup``}
${body ? markup`<h3>Body</h3><pre>${JSON.stringify(body, undefined, 2)}</pre>` : markup``}
<h3>Responses</h3>
<ul>${Object.entries(operation.responses ?? {}).map(([status, response]) => responseItem(status, response as object))}</ul>
</section>
`
}

function parameterTable(parameters: readonly Parameter[]): Markup {
  return markup`<table><thead><tr><th scope="col">Parameter</th><th scope="col">In</th><th scope="col">Meaning</th></tr></thead>
<tbody>${parameters.map(
    ({name, in: place, required, description}) =>
      markup`<tr><td><code>${name}</code>${required ? ' (required)' : ''}</td><td>${place}</td><td>${description ?? ''}</td></tr>`,
  )}</tbody></table>`
}

function responseItem(status: string, response: object): Markup {
  const {content} = response as {readonly content?: Readonly<Record<string, {readonly schema?: object}>>}
  const schema = content?.['application/json']?.schema
  const fields = Object.keys((schema as {readonly properties?: object} | undefined)?.properties ?? {})
  return markup`<li><code>${status}</code>${fields.length > 0 ? `: ${fields.join(', ')}` : ''}</li>`
}

/** The response of `/openapi.json`. */
type OpenApi = OpenAPIV3_1.Document
