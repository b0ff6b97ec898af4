import type {FastifyInstance, FastifyRequest} from 'fastify'
import {markup} from '../../report/files/markup.ts'
import type {ServiceFor} from '../helm-chart-routes.ts'
import {CHART_PARAMS, SHOW_QUERY} from '../schemas.ts'
import {chartAddress} from './addresses.ts'
import {answerForm, type ChartContext, type Form, type ReleasesOf} from './answer-form.ts'
import {chartPage, type Draft, type Outcome, READ_ONLY} from './chart-page.ts'
import {HTML, page} from './document.ts'
import {overridesPage} from './overrides-page.ts'

interface OverrideOptions {
  readonly serviceFor: ServiceFor
  readonly releasesOf: ReleasesOf
  /** Whether requests need a token; only then the pages change anything. */
  readonly secured: boolean
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

const DONE = {
  saved: 'Saved. The cluster changes with the next kk deploy.',
  reset: 'Reset to none. The cluster changes with the next kk deploy.',
} as const

const QUERY = {
  ...SHOW_QUERY,
  properties: {...SHOW_QUERY.properties, done: {type: 'string', enum: Object.keys(DONE)}},
} as const

/** Adds the list of charts, and the page of each chart in a namespace. They need no script. */
export function overrideRoutes(
  app: FastifyInstance,
  {serviceFor, releasesOf, secured}: OverrideOptions,
): void {
  const chartContext = ({params, query, caller, mayWrite}: FastifyRequest<PageRequest>): ChartContext => ({
    service: serviceFor(caller),
    releasesOf,
    place: {name: params.name, namespace: query.namespace},
    showSecrets: query.show_secrets === 'true',
    access: secured ? (mayWrite ? 'write' : 'read') : 'open',
  })
  app.get('/overrides', {schema: {hide: true}}, async ({caller}, reply) =>
    reply.type(HTML).send(overridesPage(await serviceFor(caller).charts())),
  )
  const schema = {hide: true, params: CHART_PARAMS, querystring: QUERY}
  app.get<PageRequest>('/charts/:name', {schema}, async (request, reply) => {
    const {done} = request.query
    const outcome = done ? ({kind: 'done', message: DONE[done]} as const) : ({kind: 'none'} as const)
    return reply.type(HTML).send(await showChart(chartContext(request), {outcome, draft: undefined}))
  })
  app.post<PageRequest>('/charts/:name', {schema}, async (request, reply) => {
    const context = chartContext(request)
    if (context.access !== 'write')
      return reply
        .code(403)
        .type(HTML)
        .send(
          page(
            'Rejected',
            markup`<h1>Nothing was changed</h1>
<div role="alert" class="problem"><p>${READ_ONLY[context.access]}</p></div>`,
          ),
        )
    const answer = await answerForm(context, request.body ?? new Map())
    // Redirects to the outcome, without secrets: reloading that page repeats nothing.
    if (answer.kind === 'done') return reply.redirect(chartAddress(context.place, {done: answer.done}), 303)
    return reply
      .code(answer.status)
      .type(HTML)
      .send(await showChart(context, answer))
  })
}

interface ShownForm {
  readonly outcome: Outcome
  /** The submitted content; undefined for the stored content. */
  readonly draft: Draft | undefined
}

/** Returns the page of a chart. Secrets are read only to determine whether something is masked. */
async function showChart(context: ChartContext, {outcome, draft}: ShownForm): Promise<string> {
  const {service, place, showSecrets, access} = context
  const {name, namespace} = place
  const [shown, stored, keys] = await Promise.all([
    service.show(name, namespace, {showSecrets}),
    service.show(name, namespace, {showSecrets: true}),
    service.explain(name, namespace, {showSecrets}),
  ])
  const hasNoMask = stored.userOverrides === shown.userOverrides
  return chartPage({shown, keys, hasNoMask, showSecrets, access, draft, outcome})
}
