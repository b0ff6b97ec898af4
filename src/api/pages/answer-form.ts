import {KkError} from '../../errors.ts'
import type {RequestedUpdate} from '../../overrides/service.ts'
import {answerTo} from '../errors.ts'
import type {Outcome} from './chart-page.ts'
import type {Draft} from './editor.ts'
import type {Form} from './form-body.ts'
import type {ChartContext} from './show-chart.ts'

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
