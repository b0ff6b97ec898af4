import {type Markup, markup} from '../../report/files/markup.ts'
import {type NavigationItem, page} from './document.ts'
import {problem} from './problem.ts'
import type {EnvironmentViews} from './views.ts'

/** What a page was asked for. */
export interface ViewRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Whether the caller may see secrets and change overrides. */
  readonly maySeeSecrets: boolean
}

/** A page about the environment. It is shown at once; its parts follow. */
export interface PageView {
  /** Its route. */
  readonly path: string
  readonly item: NavigationItem
  /** Its address and its heading. */
  readonly address: (request: ViewRequest) => string
  readonly title: (request: ViewRequest) => string
  /** The schemas of its parameters. */
  readonly params?: object
  readonly query?: object
  readonly parts: readonly PagePart[]
}

/** A part of a page that takes time: it is fetched after the page, and may be fetched again. */
interface PagePart {
  /** The id of its element, and the end of its address. */
  readonly id: string
  readonly heading: string
  /** What is shown until it has come. */
  readonly busy: string
  /** The text of the link that fetches it again, for a part that does not refresh itself. */
  readonly again?: string
  /** Seconds after which it is fetched again after an error; never by default. */
  readonly retry?: number
  readonly content: (views: EnvironmentViews, request: ViewRequest) => Promise<PartContent>
}

export interface PartContent {
  readonly body: Markup
  /** Seconds after which the part is fetched again; never by default. */
  readonly refresh?: number | undefined
}

/** Returns the page with placeholders for its parts. */
export function shellPage(view: PageView, request: ViewRequest): string {
  const {title, item, parts} = view
  return page(
    title(request),
    markup`<h1>${title(request)}</h1>
${parts.map((part) => section(part, placeholder(view, part, request)))}`,
    {item},
  )
}

/** Returns the page with one of its parts, for browsers without scripts. */
export function wholePage(view: PageView, part: PagePart, {request, content}: Shown): string {
  const title = view.title(request)
  return page(title, markup`<h1>${title}</h1>\n${section(part, content)}`, {item: view.item})
}

interface Shown {
  readonly request: ViewRequest
  readonly content: Markup
}

function section({id, heading}: PagePart, content: Markup): Markup {
  return markup`<section aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>
${content}
</section>
`
}

function placeholder(view: PageView, part: PagePart, request: ViewRequest): Markup {
  const address = partAddress(view, part, request)
  return markup`<div id="${part.id}" hx-get="${address}" hx-trigger="load" hx-swap="outerHTML" aria-busy="true">
<p role="status" class="busy">${part.busy}</p>
<noscript><p><a href="${address}">Show it</a></p></noscript>
</div>`
}

/** The part as the service answers it. */
interface AnsweredPart {
  readonly status: number
  readonly content: Markup
  readonly error?: unknown
}

/** Returns a part of a page; an error becomes its content. */
export async function answerPart(
  view: PageView,
  part: PagePart,
  {views, request}: {readonly views: EnvironmentViews; readonly request: ViewRequest},
): Promise<AnsweredPart> {
  const element = ({body, refresh}: PartContent) => markup`<div id="${part.id}">
${body}
${refresh === undefined ? markup`` : refresher(part, partAddress(view, part, request), refresh)}${
  part.again === undefined
    ? markup``
    : markup`<p><a class="button" href="${view.address(request)}">${part.again}</a></p>`
}
</div>`
  try {
    return {status: 200, content: element(await part.content(views, request))}
  } catch (error) {
    const {status, shown} = problem(error)
    return {status, content: element({body: shown, refresh: part.retry}), error}
  }
}

/** Returns the element that replaces its part by a newer one; focus and scrolling stay. */
function refresher({id}: PagePart, address: string, seconds: number): Markup {
  return markup`<div id="${id}-refresh" hx-get="${address}" hx-trigger="every ${seconds}s" hx-target="#${id}" hx-swap="outerMorph"></div>`
}

/** Returns the route of a part. */
export function partRoute({path}: PageView, {id}: PagePart): string {
  return `${path.replace(/\/$/, '')}/parts/${id}`
}

function partAddress({address}: PageView, {id}: PagePart, request: ViewRequest): string {
  const [path = '', query] = address(request).split('?')
  return `${path.replace(/\/$/, '')}/parts/${id}${query === undefined ? '' : `?${query}`}`
}
