import type {FastifyInstance, FastifyRequest} from 'fastify'
import {markup} from '../../report/files/markup.ts'
import {refuseOtherSites} from '../access.ts'
import {errorResponse} from '../errors.ts'
import type {ServiceFor} from '../helm-chart-routes.ts'
import {type ReleasesOf, readFormBodies} from './answer-form.ts'
import {assetRoutes} from './assets.ts'
import {HTML, page} from './document.ts'
import {DRIFT_PAGE} from './drift-page.ts'
import {FLEET_PAGE} from './fleet-page.ts'
import {HISTORY_PAGE} from './history-page.ts'
import {overrideRoutes} from './override-routes.ts'
import {noEnvironment, overviewWithoutEnvironment} from './overrides-page.ts'
import {OVERVIEW_PAGE} from './overview-page.ts'
import {answerPart, type PageView, partRoute, shellPage, type ViewRequest, wholePage} from './page-view.ts'
import {PLAN_PAGE} from './plan-page.ts'
import {problem} from './problem.ts'
import {RELEASE_PAGE} from './release-page.ts'
import {RUN_PAGE} from './run-page.ts'
import type {EnvironmentViews} from './views.ts'

export interface PageOptions {
  readonly serviceFor: ServiceFor
  readonly releasesOf: ReleasesOf
  /** The data of the environment; undefined for a service of overrides only. */
  readonly views: EnvironmentViews | undefined
  /** Whether requests need a token. Without tokens the pages only read. */
  readonly secured: boolean
}

/** The idle timeout of a connection while a part is computed: a plan of a large environment takes minutes. */
const MAX_PART_MS = 1_800_000

const VIEWS = [OVERVIEW_PAGE, PLAN_PAGE, DRIFT_PAGE, HISTORY_PAGE, RUN_PAGE, RELEASE_PAGE, FLEET_PAGE]

/** Adds the pages: those about the environment, and those of the overrides of its charts. */
export async function pageRoutes(app: FastifyInstance, options: PageOptions): Promise<void> {
  await app.register(async (pages) => {
    readFormBodies(pages)
    pages.setErrorHandler((error, request, reply) => {
      logFailure(request, error)
      const {status, shown} = problem(error)
      return reply
        .code(status)
        .type(HTML)
        .send(page('Rejected', markup`<h1>This cannot be shown</h1>\n${shown}`))
    })
    assetRoutes(pages)
    for (const view of VIEWS) viewRoutes(pages, view, options)
    overrideRoutes(pages, options)
  })
}

/** Never logs the error itself, because messages of child processes can contain values. */
function logFailure(request: FastifyRequest, error: unknown): void {
  const {status, body} = errorResponse(error)
  if (status >= 500) request.log.error({code: body.error.code}, 'the page failed')
}

/** Adds a page about the environment, and its parts. */
function viewRoutes(app: FastifyInstance, view: PageView, {views, serviceFor}: PageOptions): void {
  const schema = {
    hide: true,
    ...(view.params !== undefined && {params: view.params}),
    ...(view.query !== undefined && {querystring: view.query}),
  }
  app.get(view.path, {schema}, async (request, reply) => {
    reply.type(HTML)
    const requested = viewRequest(request)
    if (views) return reply.send(shellPage(view, requested))
    if (view === OVERVIEW_PAGE)
      return reply.send(overviewWithoutEnvironment(await serviceFor(request.caller).charts()))
    const title = view.title(requested)
    return reply.send(page(title, markup`<h1>${title}</h1>\n${noEnvironment()}`, {item: view.item}))
  })
  for (const part of view.parts) {
    app.get(partRoute(view, part), {schema, onRequest: refuseOtherSites}, async (request, reply) => {
      // A request that fastify injects has no real socket.
      request.socket.setTimeout?.(MAX_PART_MS)
      if (!views) return reply.type(HTML).send(page('Overview', noEnvironment()))
      const requested = viewRequest(request)
      const {status, content, error} = await answerPart(view, part, {views, request: requested})
      if (error !== undefined) logFailure(request, error)
      const isFragment = request.headers['hx-request'] === 'true'
      return reply
        .code(status)
        .type(HTML)
        .send(isFragment ? content.markup : wholePage(view, part, {request: requested, content}))
    })
  }
}

function viewRequest({params, query, maySeeSecrets}: FastifyRequest): ViewRequest {
  return {
    params: params as ViewRequest['params'],
    query: query as ViewRequest['query'],
    maySeeSecrets,
  }
}
