import type {FastifyInstance, FastifyRequest} from 'fastify'
import type {OverriddenChart} from '../overrides/service.ts'
import {type Markup, markup} from '../report/files/markup.ts'
import {answerForm, type ChartContext, type Form, type ReleasesOf, readFormBodies} from './answer-form.ts'
import {chartPage, type Draft, type Outcome} from './chart-page.ts'
import {errorResponse} from './errors.ts'
import type {ServiceFor} from './helm-chart-routes.ts'
import {chartAddress, page} from './page.ts'
import {CHART_PARAMS, SHOW_QUERY} from './schemas.ts'

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

/** Adds the pages: the charts at `/`, and each chart in a namespace. They need no script. */
export async function pageRoutes(app: FastifyInstance, {serviceFor, releasesOf}: PageOptions): Promise<void> {
  const chartContext = ({
    params,
    query,
    caller,
    mayWrite,
    maySeeSecrets,
  }: FastifyRequest<PageRequest>): ChartContext => ({
    service: serviceFor(caller),
    releasesOf,
    place: {name: params.name, namespace: query.namespace},
    showSecrets: query.show_secrets === 'true',
    mayWrite,
    maySeeSecrets,
  })
  await app.register(async (pages) => {
    readFormBodies(pages)
    pages.setErrorHandler((error, request, reply) => {
      const {status, body} = errorResponse(error)
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
      return reply.type(HTML).send(await showChart(chartContext(request), {outcome, draft: undefined}))
    })
    pages.post<PageRequest>('/charts/:name', {schema}, async (request, reply) => {
      const context = chartContext(request)
      const answer = await answerForm(context, request.body ?? new Map())
      // Redirects to the outcome, without secrets: reloading that page repeats nothing.
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
    'Rejected',
    markup`<h1>This cannot be shown</h1>
<div role="alert"><p>${message}</p>${hint === undefined ? markup`` : markup`<p>${hint}</p>`}</div>
<p><a href="/">All charts</a></p>`,
  )
}

/** Returns the page of the charts that have overrides, with a link per namespace. */
function chartsPage(charts: readonly OverriddenChart[]): string {
  return page(
    'Overrides of charts',
    markup`<h1>Overrides of charts</h1>
${charts.length > 0 ? chartTable(charts) : markup`<p>No chart is active: list charts under <code>charts:</code> in the facts, or serve an environment.</p>`}`,
  )
}

function chartTable(charts: readonly OverriddenChart[]): Markup {
  return markup`<p>The system overrides that kk generates for a chart, the user overrides of the deployer, and both combined.</p>
<table><thead><tr><th scope="col">Chart</th><th scope="col">Namespaces</th></tr></thead>
<tbody>${charts.map(
    ({name, namespaces}) =>
      markup`<tr><th scope="row">${name}</th><td>${namespaces.map(
        (namespace) =>
          markup`<a href="${chartAddress({name, namespace})}" aria-label="${name} in ${namespace}">${namespace}</a> `,
      )}</td></tr>
`,
  )}</tbody></table>`
}

interface ShownForm {
  readonly outcome: Outcome
  /** The submitted content; undefined for the stored content. */
  readonly draft: Draft | undefined
}

/** Returns the page of a chart. Secrets are read only to determine whether something is masked. */
async function showChart(context: ChartContext, {outcome, draft}: ShownForm): Promise<string> {
  const {service, place, showSecrets, mayWrite, maySeeSecrets} = context
  const {name, namespace} = place
  const [shown, stored, keys] = await Promise.all([
    service.show(name, namespace, {showSecrets}),
    service.show(name, namespace, {showSecrets: true}),
    service.explain(name, namespace, {showSecrets}),
  ])
  const hasNoMask = stored.userOverrides === shown.userOverrides
  return chartPage({shown, keys, hasNoMask, showSecrets, mayWrite, maySeeSecrets, draft, outcome})
}
