import type {FastifyInstance} from 'fastify'
import {KkError} from '../../base/errors.ts'
import type {OverrideService, RequestedUpdate} from '../../overrides/service.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'
import {errorResponse} from '../errors.ts'
import type {Draft, Outcome, PageAccess} from './chart-page.ts'

export type FormAnswer =
  | {readonly kind: 'done'; readonly done: 'saved' | 'reset'}
  | {
      readonly kind: 'page'
      readonly status: number
      readonly outcome: Outcome
      /** The submitted content, to continue editing; undefined for the stored content. */
      readonly draft: Draft | undefined
    }

/**
 * Performs the action of the form; a rejected form keeps the submitted content. Rejects if the chart cannot
 * be shown.
 */
export async function answerForm(context: ChartContext, form: Form): Promise<FormAnswer> {
  const {service, place} = context
  const submitted: Draft = {text: form.get('overrides') ?? '', etag: form.get('etag') ?? ''}
  const action = form.get('action')
  try {
    switch (action) {
      case 'save':
        await service.update(place.name, place.namespace, {
          ...replacementUpdate(submitted.text),
          ifMatch: [submitted.etag],
        })
        return {kind: 'done', done: 'saved'}
      case 'reset':
        await service.delete(place.name, place.namespace, {ifMatch: [submitted.etag]})
        return {kind: 'done', done: 'reset'}
      case 'preview':
        await expectUnchanged(context, submitted)
        return {
          kind: 'page',
          status: 200,
          outcome: await buildPreview(context, submitted.text),
          draft: submitted,
        }
      case 'ask-reset':
        return {
          kind: 'page',
          status: 200,
          outcome: {...(await buildPreview(context, '')), isReset: true},
          draft: undefined,
        }
      default:
        throw new KkError('KK_USAGE', 'the form has no action', {hint: 'press one of its buttons'})
    }
  } catch (error) {
    return refusal(context, error, action === 'reset' ? undefined : submitted)
  }
}

/**
 * Returns the update that replaces all overrides by a text. An empty text removes them: the form shows all of
 * them.
 */
function replacementUpdate(text: string): RequestedUpdate {
  const files = text.trim() === '' ? [] : [{source: 'your text', text}]
  return {flag: 'reset', values: {files, set: [], setString: []}}
}

async function currentEtag({service, place}: ChartContext): Promise<string> {
  return (await service.show(place.name, place.namespace)).etag ?? ''
}

/** Throws `KK_STORE_CONFLICT` if the overrides have changed since the form was rendered. Saves nothing. */
async function expectUnchanged(context: ChartContext, {etag}: Draft): Promise<void> {
  if ((await currentEtag(context)) === etag) return
  throw new KkError('KK_STORE_CONFLICT', 'another user has changed the overrides in the meantime', {
    hint: 'review them again',
  })
}

async function buildPreview(
  {service, place, releasesOf, showSecrets}: ChartContext,
  text: string,
): Promise<Extract<Outcome, {kind: 'preview'}>> {
  const {name, namespace} = place
  const dryRun = (secrets: boolean) =>
    service.update(name, namespace, {...replacementUpdate(text), dryRun: true, showSecrets: secrets})
  const [before, stored] = await Promise.all(
    [showSecrets, true].map((each) => service.show(name, namespace, {showSecrets: each})),
  )
  const [after, next] = await Promise.all([dryRun(showSecrets), dryRun(true)])
  const preview = {
    before: before!.userOverrides,
    after: after.userOverrides,
    // Masked texts do not show whether they differ.
    changes: stored!.userOverrides !== next.userOverrides,
    releases: releasesOf(name, namespace),
  }
  return {kind: 'preview', preview, isReset: false}
}

/**
 * After a conflict the form has the etag of the present overrides, which it displays: saving it again
 * replaces them.
 */
async function refusal(
  context: ChartContext,
  error: unknown,
  submitted: Draft | undefined,
): Promise<FormAnswer> {
  const {status, body} = errorResponse(error)
  if (status === 404 || status >= 500) throw error
  const {code, message, hint} = body.error
  if (code !== 'KK_STORE_CONFLICT') {
    return {kind: 'page', status, outcome: {kind: 'refused', message, hint}, draft: submitted}
  }
  const outcome: Outcome = {
    kind: 'refused',
    message,
    hint: submitted
      ? 'your text is below, and the stored overrides are under "Overrides as YAML"; Save replaces them with your text'
      : 'the stored overrides are below',
  }
  return {kind: 'page', status, outcome, draft: submitted && {...submitted, etag: await currentEtag(context)}}
}

/** The fields of a form. */
export type Form = ReadonlyMap<string, string>

/**
 * Makes the routes of this plugin accept only form bodies; other routes accept none, so that pages of other
 * sites cannot post to them. Rejects invalid UTF-8 and repeated fields.
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
    const [name = '', ...value] = pair.split('=').map(decodeField)
    if (fields.has(name)) throw unreadable('each field once')
    // Browsers send line ends as CRLF.
    fields.set(name, value.join('=').replaceAll('\r\n', '\n'))
  }
  return fields
}

function decodeField(text: string): string {
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

/** Returns the releases of a chart in a namespace; undefined without an environment. */
export type ReleasesOf = (name: string, namespace: string) => readonly string[] | undefined

/** The chart of a page, with the permissions of the caller. */
export interface ChartContext {
  readonly service: OverrideService
  readonly releasesOf: ReleasesOf
  readonly place: ChartPlace
  readonly showSecrets: boolean
  readonly access: PageAccess
}
