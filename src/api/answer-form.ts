import type {FastifyInstance} from 'fastify'
import {KkError} from '../base/errors.ts'
import type {OverrideService, RequestedUpdate} from '../overrides/service.ts'
import type {ChartPlace} from '../overrides/user/store.ts'
import type {Draft, Outcome} from './chart-page.ts'
import {answerTo} from './errors.ts'

export type FormAnswer =
  | {readonly kind: 'done'; readonly done: 'saved' | 'reset'}
  | {
      readonly kind: 'page'
      readonly status: number
      readonly outcome: Outcome
      /** What was typed, to go on with; undefined for what is stored. */
      readonly draft: Draft | undefined
    }

/** Does what the form asks for; a refusal returns what was typed. Rejects where nothing can be shown of the chart. */
export async function answerForm(context: ChartContext, form: Form): Promise<FormAnswer> {
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

/** Returns the update that puts a text in the place of all overrides. An empty one means none: the form shows them all. */
function replacing(text: string): RequestedUpdate {
  const files = text.trim() === '' ? [] : [{source: 'your text', text}]
  return {flag: 'reset', values: {files, set: [], setString: []}}
}

async function currentEtag({service, place}: ChartContext): Promise<string> {
  return (await service.show(place.name, place.namespace)).etag ?? ''
}

/** Throws `KK_STORE_CONFLICT` where the overrides are not those any more that the form was made from, before anything is saved. */
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
export type Form = ReadonlyMap<string, string>

/**
 * Lets the routes of this plugin read forms of pages and nothing else; those outside of it take none, so that no page
 * elsewhere can post to them. What is no UTF-8, or names a field twice, is refused.
 */
export function readFormBodies(app: FastifyInstance): void {
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

/** The releases of a chart in a namespace; undefined where no environment tells which there are. */
export type ReleasesOf = (name: string, namespace: string) => readonly string[] | undefined

/** The chart of a page, with what the caller may see and do. */
export interface ChartContext {
  readonly service: OverrideService
  readonly releasesOf: ReleasesOf
  readonly place: ChartPlace
  readonly showSecrets: boolean
  readonly mayWrite: boolean
  readonly maySeeSecrets: boolean
}
