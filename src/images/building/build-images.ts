import {asKkError, KkError} from '../../base/errors.ts'
import {limiter} from '../../base/limiter.ts'
import type {ImageRecord} from '../inventory/record.ts'
import type {SurveyedImage} from '../inventory/survey.ts'

/** Progress of one image. */
export type ImageEvent =
  | {readonly type: 'image-started' | 'image-unchanged'; readonly name: string}
  | {readonly type: 'image-step'; readonly name: string; readonly step: string}
  | {readonly type: 'image-built'; readonly name: string; readonly seconds: number}
  | {readonly type: 'image-pushed' | 'image-present'; readonly name: string; readonly digest: string}
  | {readonly type: 'image-failed'; readonly name: string; readonly error: KkError}
  | {readonly type: 'image-skipped'; readonly name: string; readonly because: string}

export interface ImageResult extends SurveyedImage {
  readonly outcome: 'built' | 'unchanged' | 'failed' | 'skipped'
  readonly seconds?: number
  /** The digest of the pushed manifest. */
  readonly digest?: string
  readonly error?: KkError
}

/** Builds and pushes an image. */
export interface ImageTools {
  build(image: SurveyedImage, onStep: (step: string) => void): Promise<ImageRecord>
  /** Resolves with the digest, and whether it had to be sent; undefined if nothing should be pushed. */
  push?(image: SurveyedImage, record: ImageRecord): Promise<{readonly digest: string; readonly sent: boolean}>
}

export interface BuildImagesOptions {
  readonly tools: ImageTools
  /** Rebuild current images, too. */
  readonly refresh: boolean
  readonly signal?: AbortSignal
  readonly onEvent: (event: ImageEvent) => void
}

/** The number of concurrent builds; more would be limited by the disk. */
const MAX_CONCURRENT_BUILDS = 2

/** Builds outdated images after their parents, and pushes them. Rejects only if aborted. */
export async function buildImages(
  images: readonly SurveyedImage[],
  {tools, refresh, signal, onEvent}: BuildImagesOptions,
): Promise<readonly ImageResult[]> {
  const slot = limiter(MAX_CONCURRENT_BUILDS)
  const results = new Map<string, Promise<ImageResult>>()

  async function afterParents(surveyed: SurveyedImage): Promise<ImageResult> {
    const {image} = surveyed
    for (const parent of image.parents) {
      const {outcome} = await results.get(parent)!
      if (outcome === 'built' || outcome === 'unchanged') continue
      onEvent({type: 'image-skipped', name: image.name, because: parent})
      return {...surveyed, outcome: 'skipped'}
    }
    return slot(() => buildAndPush(surveyed))
  }

  async function buildAndPush(surveyed: SurveyedImage): Promise<ImageResult> {
    signal?.throwIfAborted()
    const {name} = surveyed.image
    try {
      const result = await buildOne(surveyed)
      if (!tools.push || !result.record) return result
      const {digest, sent} = await tools.push(surveyed, result.record)
      onEvent({type: sent ? 'image-pushed' : 'image-present', name, digest})
      return {...result, digest}
    } catch (caught) {
      signal?.throwIfAborted()
      const error = asKkError(caught)
      onEvent({type: 'image-failed', name, error})
      return {...surveyed, outcome: 'failed', error}
    }
  }

  async function buildOne(surveyed: SurveyedImage): Promise<ImageResult> {
    const {name} = surveyed.image
    if (surveyed.state === 'current' && !refresh) {
      onEvent({type: 'image-unchanged', name})
      return {...surveyed, outcome: 'unchanged'}
    }
    onEvent({type: 'image-started', name})
    const start = performance.now()
    const record = await tools.build(surveyed, (step) => onEvent({type: 'image-step', name, step}))
    const seconds = (performance.now() - start) / 1000
    onEvent({type: 'image-built', name, seconds})
    return {...surveyed, state: 'current', record, outcome: 'built', seconds}
  }

  for (const surveyed of images) results.set(surveyed.image.name, afterParents(surveyed))
  const settled = await Promise.allSettled(results.values())
  signal?.throwIfAborted()
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
}

/** Returns the error of a whole build; undefined if all images succeeded. */
export function buildFailure(results: readonly ImageResult[]): KkError | undefined {
  const failed = results.filter(({outcome}) => outcome === 'failed')
  const [first] = failed
  if (first === undefined) return undefined
  if (failed.length === 1)
    return new KkError('KK_IMAGE', `the image ${first.image.name} failed: ${first.error!.message}`, {
      cause: first.error,
      log: first.error!.log,
      ...(first.error!.hint && {hint: first.error!.hint}),
    })
  const names = failed.map(({image}) => image.name).join(', ')
  return new KkError('KK_IMAGE', `${failed.length} images failed: ${names}`, {
    log: failed.map(({image, error}) => `${image.name}: ${error!.message}`),
    hint: 'build one of them alone to see the reason',
  })
}
