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

/** The target of images and charts. */
export interface MirrorTarget {
  /** The prefix of image references in charts: `registry.example.org/cloud`. */
  readonly registry: string
  /** The prefix of repositories in the store; empty, or ends with a slash. */
  readonly prefix: string
  readonly store: ContentStore
  readonly charts: Destination
}

/** An image, and whether its digest must be copied or already exists. */
export interface MirroredImage extends SourceImage {
  readonly state: 'new' | 'there'
  /** The digest that its name has in the mirror, if it differs: pulls by tag get the new one afterwards. */
  readonly replaces?: string
  /** The reference of the mirrored image in charts. */
  readonly name: string
  /** The bytes to copy; blobs shared by several images are counted once. */
  readonly bytes: number
}

interface PlannedImage extends MirroredImage {
  readonly to: ImagePlace
  /** Its tag, or its digest if it has none. */
  readonly reference: string
  readonly content: ImageContent
}

export interface MirrorPlan {
  readonly images: readonly PlannedImage[]
  readonly charts: readonly PublishedChart[]
}

/**
 * Returns what would be copied; writes nothing. Rejects with `KK_IMAGE` for an image that its source does not
 * have, and for two images with the same name; with `KK_PUBLISHED` if the target has other content for a
 * version of a chart.
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
  /** Called before and after each image is copied. */
  readonly onImage: (image: MirroredImage, progress: MirrorProgress) => void
}

/** The progress: the number of the image among those to copy. */
export interface MirrorProgress {
  readonly number: number
  readonly of: number
  readonly isDone: boolean
}

/**
 * Copies missing images sequentially, then charts. After a rejection copied images stay and are not copied
 * again.
 */
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
    const mountSource = (digest: string) => places.get(digest)
    await copyImage({from, to, content, missing, name: reference, mountSource})
    for (const {digest} of content.blobs) places.set(digest, to.repository)
    onImage({from, ...image}, {...progress, isDone: true})
  }
  signal.throwIfAborted()
  await publish(charts, target.charts)
}

function collision(one: SourceImage, other: SourceImage): KkError {
  return new KkError('KK_IMAGE', `${one.image} and ${other.image} would have the same name in the mirror`, {
    hint: 'give one of them another name or tag in the values: the name of the registry is dropped',
  })
}
