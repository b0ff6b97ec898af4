import {KkError} from '../../../base/errors.ts'
import type {Destination} from '../../../charts/publishing/destination.ts'
import type {ContentStore} from '../../../images/registry/content.ts'
import {
  copyImage,
  type ImageContent,
  type ImagePlace,
  imageContent,
  missingBlobs,
} from '../../../images/registry/copy-image.ts'
import {parseReference} from '../../../images/registry/reference.ts'
import {type PublishedChart, planPacked, publish} from '../../charts/publish-charts.ts'
import type {MirrorContents, SourceImage} from './contents.ts'

/** Where images and charts are copied to. */
export interface MirrorTarget {
  /** As charts name it before the name of an image: `registry.example.org/cloud`. */
  readonly registry: string
  /** Below which images lie in the store; empty, or ends with a slash. */
  readonly prefix: string
  readonly store: ContentStore
  readonly charts: Destination
}

/** An image, and whether it is to be copied or is there already, by its digest. */
export interface MirroredImage extends SourceImage {
  readonly state: 'new' | 'there'
  /** The digest that its name has in the mirror, where that is another one: what pulls it by its tag gets the new one then. */
  readonly replaces?: string
  /** As charts name it in the mirror. */
  readonly name: string
  /** What is to be copied of it, in bytes; what several images share is counted once. */
  readonly bytes: number
}

interface PlannedImage extends MirroredImage {
  readonly to: ImagePlace
  /** Its tag, or its digest where it has none. */
  readonly reference: string
  readonly content: ImageContent
}

export interface MirrorPlan {
  readonly images: readonly PlannedImage[]
  readonly charts: readonly PublishedChart[]
}

/**
 * Returns what is to be copied; nothing is written. Rejects with `KK_IMAGE` for an image that its source does not have, and for
 * two that would have one name; with `KK_PUBLISHED` where the target has other content of a chart's version.
 */
export async function planMirror(
  {images, charts}: MirrorContents,
  target: MirrorTarget,
): Promise<MirrorPlan> {
  const planned: PlannedImage[] = []
  const counted = new Set<string>()
  const names = new Map<string, SourceImage>()
  for (const each of images) {
    const {repository, tag, digest} = parseReference(each.image)
    const to = {store: target.store, repository: `${target.prefix}${repository}`}
    const reference = tag ?? each.digest
    const other = names.get(`${repository}:${reference}`)
    if (other && other.digest !== each.digest) throw collision(other, each)
    names.set(`${repository}:${reference}`, each)
    const now = await target.store.digestOf(to.repository, reference)
    const isThere = now === each.digest
    const content = isThere ? {manifests: [], blobs: []} : await imageContent(each.from, each.digest)
    const missing = (await missingBlobs(to, content.blobs)).filter((blob) => !counted.has(blob.digest))
    for (const blob of missing) counted.add(blob.digest)
    planned.push({
      ...each,
      state: isThere ? 'there' : 'new',
      ...(now !== undefined && !isThere && {replaces: now}),
      name: [`${target.registry}/${repository}`, tag && `:${tag}`, digest && `@${digest}`].join(''),
      bytes: missing.reduce((sum, {size}) => sum + size, 0),
      to,
      reference,
      content,
    })
  }
  return {images: planned, charts: await planPacked(charts, target.charts)}
}

interface MirrorOptions {
  readonly signal: AbortSignal
  /** Told before an image is copied, and after. */
  readonly onImage: (image: MirroredImage, progress: MirrorProgress) => void
}

/** How far it is: the number of the image among those that are copied. */
export interface MirrorProgress {
  readonly number: number
  readonly of: number
  readonly isDone: boolean
}

/** Copies what is not there yet, images one after the other. What was copied when it rejects stays, and is not copied again. */
export async function mirror(
  {images, charts}: MirrorPlan,
  target: MirrorTarget,
  {signal, onImage}: MirrorOptions,
): Promise<void> {
  const added = images.filter(({state}) => state === 'new')
  const places = new Map<string, string>()
  for (const [at, {from, to, content, reference, ...image}] of added.entries()) {
    signal.throwIfAborted()
    const progress = {number: at + 1, of: added.length}
    onImage({from, ...image}, {...progress, isDone: false})
    const missing = await missingBlobs(to, content.blobs)
    const elsewhere = (digest: string) => places.get(digest)
    await copyImage({from, to, content, missing, name: reference, elsewhere})
    for (const {digest} of content.blobs) places.set(digest, to.repository)
    onImage({from, ...image}, {...progress, isDone: true})
  }
  signal.throwIfAborted()
  await publish(charts, target.charts)
}

function collision(one: SourceImage, other: SourceImage): KkError {
  return new KkError('KK_IMAGE', `${one.image} and ${other.image} would have one name in the mirror`, {
    hint: 'give one of them another name or tag in the values: the registry in front of it is not kept',
  })
}
