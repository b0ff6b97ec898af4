import type {FastifyInstance, FastifyRequest} from 'fastify'
import {markup} from '../../report/files/markup.ts'
import {answerTo} from '../errors.ts'
import type {ServiceFor} from '../helm-charts/routes.ts'
import {CHART_PARAMS, SHOW_QUERY} from '../helm-charts/schemas.ts'
import {answerForm} from './answer-form.ts'
import {chartsPage} from './charts-page.ts'
import {type Form, readFormBodies} from './form-body.ts'
import {page} from './page.ts'
import {chartAddress} from './place.ts'
import {type ChartContext, type ReleasesOf, showChart} from './show-chart.ts'

interface PageOptions {
  readonly serviceFor: ServiceFor
  readonly releasesOf: ReleasesOf
}

interface PageRequest {
  Params: {readonly name: string}
  Querystring: {
    readonly namespace: string
    readonly show_secrets?: 'true' | 'false'
    readonly done?: keyof typeof DONE
  }
  Body: Form | undefined
}

const HTML = 'text/html; charset=utf-8'

const DONE = {
  saved: 'Saved. The cluster changes with the next kk deploy.',
  reset: 'Reset to none. The cluster changes with the next kk deploy.',
} as const

const QUERY = {
  ...SHOW_QUERY,
  properties: {...SHOW_QUERY.properties, done: {type: 'string', enum: Object.keys(DONE)}},
} as const

/** The pages for people: the charts at `/`, and each chart in a namespace. They need no script. */
export async function pageRoutes(app: FastifyInstance, {serviceFor, releasesOf}: PageOptions): Promise<void> {
  const contextOf = ({params, query, caller, mayWrite}: FastifyRequest<PageRequest>): ChartContext => ({
    service: serviceFor(caller),
    releasesOf,
    place: {name: params.name, namespace: query.namespace},
    showSecrets: query.show_secrets === 'true',
    mayWrite,
  })
  await app.register(async (pages) => {
    readFormBodies(pages)
    pages.setErrorHandler((error, request, reply) => {
      const {status, body} = answerTo(error)
      if (status >= 500) request.log.error({code: body.error.code}, 'the page failed')
      return reply.code(status).type(HTML).send(problemPage(body.error))
    })
    pages.get('/', {schema: {hide: true}}, async ({caller}, reply) =>
      reply.type(HTML).send(chartsPage(await serviceFor(caller).charts())),
    )
    const schema = {hide: true, params: CHART_PARAMS, querystring: QUERY}
    pages.get<PageRequest>('/charts/:name', {schema}, async (request, reply) => {
      const {done} = request.query
      const outcome = done ? ({kind: 'done', message: DONE[done]} as const) : ({kind: 'none'} as const)
      return reply.type(HTML).send(await showChart(contextOf(request), {outcome, draft: undefined}))
    })
    pages.post<PageRequest>('/charts/:name', {schema}, async (request, reply) => {
      const context = contextOf(request)
      const answer = await answerForm(context, request.body ?? new Map())
      // With what it did in the address, and without secrets: loading that page again does nothing again.
      if (answer.kind === 'done') return reply.redirect(chartAddress(context.place, {done: answer.done}), 303)
      return reply
        .code(answer.status)
        .type(HTML)
        .send(await showChart(context, answer))
    })
  })
}

function problemPage({message, hint}: {readonly message: string; readonly hint?: string}): string {
  return page(
    'Refused',
    markup`<h1>This cannot be shown</h1>
<div role="alert"><p>${message}</p>${hint === undefined ? markup`` : markup`<p>${hint}</p>`}</div>
<p><a href="/">All charts</a></p>`,
  )
}
