import {join} from 'node:path'
import {buildImage} from '../../images/building/build-image.ts'
import {
  buildImages,
  type ImageEvent,
  type ImageResult,
  type ImageTools,
} from '../../images/building/build-images.ts'
import {expectTools} from '../../images/building/buildah.ts'
import type {Image} from '../../images/image.ts'
import {carriedDigests, carriedPrograms} from '../../images/inventory/carried-programs.ts'
import {chooseImages, withParents} from '../../images/inventory/choose-images.ts'
import {layImages} from '../../images/inventory/overlay.ts'
import {presentImages} from '../../images/inventory/present-images.ts'
import {readImages} from '../../images/inventory/read-images.ts'
import {type ImageRecord, readRecord, writeRecord} from '../../images/inventory/record.ts'
import {type SurveyedImage, surveyImages} from '../../images/inventory/survey.ts'
import {pushedDigest, pushImage, type Registry} from '../../images/registry/registry.ts'
import {cacheDirectory} from '../../state/directories.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {withLock} from '../../state/lock.ts'

export interface BuildVerbOptions {
  /** The names of the images; all if empty. */
  readonly names: readonly string[]
  /** The directory that holds the folder `images/`. */
  readonly root: string
  /** A folder whose files replace those of `images/`. */
  readonly overlay?: string
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly refresh: boolean
  readonly registry?: Registry
  readonly signal: AbortSignal
  readonly onEvent: (event: ImageEvent) => void
  /** Called while another kk process builds the same image. */
  readonly onWait: (process: number, image: string) => void
}

/** Returns the chosen images and all their parents, with their current state. */
export async function planImages(
  options: Pick<BuildVerbOptions, 'names' | 'root' | 'overlay' | 'env'>,
): Promise<readonly SurveyedImage[]> {
  return withImages(options, (images) => survey(images, options))
}

/** Builds outdated images, and pushes them if a registry is set. Throws `KK_IMAGE_TOOLS` and `KK_USAGE`. */
export async function build(options: BuildVerbOptions): Promise<readonly ImageResult[]> {
  const {env, refresh, signal, onEvent} = options
  expectTools(env)
  return withImages(options, async (images) =>
    buildImages(await survey(images, options), {tools: imageTools(options), refresh, signal, onEvent}),
  )
}

async function survey(
  folder: string,
  {names, root, env}: Pick<BuildVerbOptions, 'names' | 'root' | 'env'>,
): Promise<readonly SurveyedImage[]> {
  const images = await readImages(folder)
  return surveyed(withParents(images, chooseImages(images, names)), root, env)
}

/** Calls `body` with the folder of images; a folder with the overlay is removed afterwards. */
async function withImages<T>(
  {root, overlay}: Pick<BuildVerbOptions, 'root' | 'overlay'>,
  body: (folder: string) => Promise<T>,
): Promise<T> {
  const own = join(root, 'images')
  if (overlay === undefined) return body(own)
  const work = await temporaryDirectory('kk-images-')
  try {
    await layImages(own, overlay, work.path)
    return await body(work.path)
  } finally {
    await work.remove()
  }
}

function imageTools(options: BuildVerbOptions): ImageTools {
  const {env, registry, signal, onWait} = options
  const cache = imagesCache(env)
  return {
    // Processes build concurrently, but each image only once.
    build: (surveyed, onStep) =>
      withLock(imageLock(cache, surveyed.image.name), () => buildOne(surveyed, options, onStep), {
        signal,
        onWait: ({pid}) => onWait(pid, surveyed.image.name),
      }),
    ...(registry && {
      async push({image}, record) {
        const knownDigest = record.pushed[registry.name]
        if (knownDigest !== undefined && (await pushedDigest(image, registry)) === knownDigest)
          return {digest: knownDigest, sent: false}
        const digest = await pushImage(image, record.id, registry, signal)
        await writeRecord(cache, image.name, {...record, pushed: {...record.pushed, [registry.name]: digest}})
        return {digest, sent: true}
      },
    }),
  }
}

/** Builds an image, unless another process has built it from the same inputs since its state was read. */
async function buildOne(
  {image, inputs, record: before}: SurveyedImage,
  {root, env, version, refresh, signal}: BuildVerbOptions,
  onStep: (step: string) => void,
): Promise<ImageRecord> {
  const cache = imagesCache(env)
  const current = await readRecord(cache, image.name)
  if (
    current &&
    current.id !== before?.id &&
    current.inputs === inputs &&
    (await presentImages()).has(current.id)
  )
    return current
  const carried = carriedPrograms(image.carries, root, env)
  const onLine = (line: string) => {
    const step = /^(\[\d+\/\d+\] )?STEP (?<step>.*)/.exec(line)?.groups?.step
    if (step !== undefined) onStep(step)
  }
  const built = await buildImage(image, {cache, inputs, carried, version, refresh, env, signal, onLine})
  const record = {...built, carried: await carriedDigests(image.carries, root, env)}
  await writeRecord(cache, image.name, record)
  return record
}

/** Returns the directory of the records of images, their package lists and Debian's root file systems. */
export function imagesCache(env: NodeJS.ProcessEnv): string {
  return join(cacheDirectory(env), 'images')
}

/** Returns the path of the lock that a process holds while it builds an image. */
export function imageLock(cache: string, name: string): string {
  return join(cache, 'locks', name)
}

/** Returns the state of these images on this machine; parents before the images that are based on them. */
async function surveyed(
  images: readonly Image[],
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly SurveyedImage[]> {
  const carried = await carriedDigests(
    images.flatMap(({carries}) => carries),
    root,
    env,
  )
  return surveyImages(images, {cache: imagesCache(env), carried, present: await presentImages()})
}

/** Returns the images of these names, or all without a name, with their state on this machine. */
export async function listImages(
  names: readonly string[],
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly SurveyedImage[]> {
  const images = await readImages(join(root, 'images'))
  const chosen = new Set(chooseImages(images, names).map(({name}) => name))
  return (await surveyed(images, root, env)).filter(({image}) => chosen.has(image.name))
}

/**
 * Returns the part of an environment file that makes its charts use these images: pinned to the pushed
 * digest, else by tag. If a chart has several images, the first is used. Nodes may use another name of the
 * registry than the machine that pushed (`pushedTo`).
 */
export function imageValues(
  images: readonly SurveyedImage[],
  registry: Registry,
  pushedTo: Registry = registry,
): {readonly global: {readonly images: {readonly tags: Readonly<Record<string, string>>}}} {
  const tags: Record<string, string> = {}
  for (const {image, record} of images) {
    if (image.chart === undefined || image.chart in tags) continue
    const digest = record?.pushed[pushedTo.name]
    const reference = `${registry.name}/${image.repository}:${image.tag}`
    tags[image.chart] = digest ? `${reference}@${digest}` : reference
  }
  return {global: {images: {tags}}}
}
