import type {FastifyInstance, FastifyRequest} from 'fastify'
import {KkError} from '../../errors.ts'
import type {OverriddenChart, RequestedUpdate} from '../../overrides/service.ts'
import {type Markup, markup} from '../../report/files/markup.ts'
import {answerTo} from '../errors.ts'
import type {ServiceFor} from '../helm-charts/routes.ts'
import {CHART_PARAMS, SHOW_QUERY} from '../helm-charts/schemas.ts'
import type {Outcome} from './chart-page.ts'
import type {Draft} from './editor.ts'
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

/** The charts that have overrides, with a link for each of their namespaces. */
function chartsPage(charts: readonly OverriddenChart[]): string {
  return page(
    'Overrides of charts',
    markup`<h1>Overrides of charts</h1>
${charts.length > 0 ? chartTable(charts) : markup`<p>No chart is active: name some under <code>charts:</code> in the facts, or serve an environment.</p>`}`,
  )
}

function chartTable(charts: readonly OverriddenChart[]): Markup {
  return markup`<p>What kk generates for a chart, what the deployer lays over it, and what comes of both.</p>
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

type FormAnswer =
  | {readonly kind: 'done'; readonly done: 'saved' | 'reset'}
  | {
      readonly kind: 'page'
      readonly status: number
      readonly outcome: Outcome
      /** What was typed, to go on with; undefined for what is stored. */
      readonly draft: Draft | undefined
    }

/**
 * Does what the form of a chart asks for. A refusal comes back with what was typed; rejects where there is no such chart,
 * or nothing can be shown.
 */
async function answerForm(context: ChartContext, form: Form): Promise<FormAnswer> {
  const {service, place} = context
  const typed: Draft = {text: form.get('overrides') ?? '', etag: form.get('etag') ?? ''}
  const action = form.get('action')
  try {
    switch (action) {
      case 'save':
        await service.update(place.name, place.namespace, {...replacing(typed.text), ifMatch: [typed.etag]})
        return {kind: 'done', done: 'saved'}
      case 'reset':
        await service.delete(place.name, place.namespace, {ifMatch: [typed.etag]})
        return {kind: 'done', done: 'reset'}
      case 'preview':
        await expectUnchanged(context, typed)
        return {kind: 'page', status: 200, outcome: await previewOf(context, typed.text), draft: typed}
      case 'ask-reset':
        return {
          kind: 'page',
          status: 200,
          outcome: {...(await previewOf(context, '')), isReset: true},
          draft: undefined,
        }
      default:
        throw new KkError('KK_USAGE', 'the form does not say what to do', {hint: 'press one of its buttons'})
    }
  } catch (error) {
    return refusal(context, error, action === 'reset' ? undefined : typed)
  }
}

/** Who empties the text has all overrides before their eyes, and means it. */
function replacing(text: string): RequestedUpdate {
  const files = text.trim() === '' ? [] : [{source: 'your text', text}]
  return {flag: 'reset', values: {files, set: [], setString: []}}
}

async function currentEtag({service, place}: ChartContext): Promise<string> {
  return (await service.show(place.name, place.namespace)).etag ?? ''
}

/** Who previews a change of what is not there any more is told before, not after, it is saved. */
async function expectUnchanged(context: ChartContext, {etag}: Draft): Promise<void> {
  if ((await currentEtag(context)) === etag) return
  throw new KkError('KK_STORE_CONFLICT', 'somebody else has changed the overrides meanwhile', {
    hint: 'look at them again',
  })
}

async function previewOf(
  {service, place, releasesOf, showSecrets}: ChartContext,
  text: string,
): Promise<Extract<Outcome, {kind: 'preview'}>> {
  const {name, namespace} = place
  const dryRun = (secrets: boolean) =>
    service.update(name, namespace, {...replacing(text), dryRun: true, showSecrets: secrets})
  const [before, stored] = await Promise.all(
    [showSecrets, true].map((each) => service.show(name, namespace, {showSecrets: each})),
  )
  const [after, next] = await Promise.all([dryRun(showSecrets), dryRun(true)])
  const preview = {
    before: before!.userOverrides,
    after: after.userOverrides,
    // Of masked texts nobody sees whether they differ.
    changes: stored!.userOverrides !== next.userOverrides,
    releases: releasesOf(name, namespace),
  }
  return {kind: 'preview', preview, isReset: false}
}

/** After a conflict the form is made from what is stored now: who saves it again has had that before their eyes. */
async function refusal(context: ChartContext, error: unknown, typed: Draft | undefined): Promise<FormAnswer> {
  const {status, body} = answerTo(error)
  if (status === 404 || status >= 500) throw error
  const {code, message, hint} = body.error
  if (code !== 'KK_STORE_CONFLICT') {
    return {kind: 'page', status, outcome: {kind: 'refused', message, hint}, draft: typed}
  }
  const outcome: Outcome = {
    kind: 'refused',
    message,
    hint: typed
      ? 'below stand your text, and under "Overrides as YAML" what is stored now; Save puts yours in its place'
      : 'what is stored now stands below',
  }
  return {kind: 'page', status, outcome, draft: typed && {...typed, etag: await currentEtag(context)}}
}

/** The fields of a form. */
type Form = ReadonlyMap<string, string>

/**
 * Lets the routes of this plugin read forms of pages and nothing else; those outside of it take none, so that no page
 * elsewhere can post to them. What is no UTF-8, or names a field twice, is refused.
 */
function readFormBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    {parseAs: 'string'},
    async (_request: unknown, body: string | Buffer): Promise<Form> => parseForm(body.toString()),
  )
}

function parseForm(body: string): Form {
  const fields = new Map<string, string>()
  for (const pair of body.split('&').filter((each) => each !== '')) {
    const [name = '', ...value] = pair.split('=').map(decoded)
    if (fields.has(name)) throw unreadable('each field once')
    // Browsers send the ends of lines as HTTP has them.
    fields.set(name, value.join('=').replaceAll('\r\n', '\n'))
  }
  return fields
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw unreadable('UTF-8')
  }
}

function unreadable(expected: string): KkError {
  return new KkError('KK_USAGE', `the form cannot be read: expected ${expected}`, {
    hint: 'open the page again; nothing was changed',
  })
}
