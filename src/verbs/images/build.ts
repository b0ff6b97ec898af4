import {join} from 'node:path'
import {buildImage} from '../../images/building/build-image.ts'
import {
  buildImages,
  type ImageEvent,
  type ImageResult,
  type ImageWorld,
} from '../../images/building/build-images.ts'
import {expectTools} from '../../images/building/expect-tools.ts'
import {carriedPrograms} from '../../images/inventory/carried-programs.ts'
import {chooseImages, withParents} from '../../images/inventory/choose-images.ts'
import {layImages} from '../../images/inventory/overlay.ts'
import {readImages} from '../../images/inventory/read-images.ts'
import {writeRecord} from '../../images/inventory/record.ts'
import type {SurveyedImage} from '../../images/inventory/survey.ts'
import {pushImage} from '../../images/registry/push.ts'
import {pushedDigest} from '../../images/registry/pushed-digest.ts'
import type {Registry} from '../../images/registry/registry.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {withLock} from '../../state/lock.ts'
import {imagesCache, surveyed} from './image-world.ts'

/** More would wait for the disk. */
const AT_ONCE = 2

export interface BuildVerbOptions {
  /** All without a name. */
  readonly names: readonly string[]
  /** What holds the folder `images/`. */
  readonly root: string
  /** A folder whose files take the place of those of `images/`. */
  readonly overlay?: string
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly refresh: boolean
  readonly registry?: Registry
  readonly signal: AbortSignal
  readonly onEvent: (event: ImageEvent) => void
  /** Another kk is at it. */
  readonly onWait: (process: number) => void
}

/** The chosen images and all that they stand on, as they are now. */
export async function planImages(
  options: Pick<BuildVerbOptions, 'names' | 'root' | 'overlay' | 'env'>,
): Promise<readonly SurveyedImage[]> {
  return withImages(options, (images) => survey(images, options))
}

/** Builds what is not current, and pushes it where a registry is named. Throws `KK_IMAGE_TOOLS` and `KK_USAGE`. */
export async function build(options: BuildVerbOptions): Promise<readonly ImageResult[]> {
  const {env, refresh, signal, onEvent, onWait} = options
  expectTools(env)
  const work = () =>
    withImages(options, async (images) =>
      buildImages(await survey(images, options), {
        world: world(options),
        refresh,
        concurrency: AT_ONCE,
        signal,
        onEvent,
      }),
    )
  return withLock(join(imagesCache(env), 'lock'), work, {signal, onWait: ({pid}) => onWait(pid)})
}

async function survey(
  folder: string,
  {names, root, env}: Pick<BuildVerbOptions, 'names' | 'root' | 'env'>,
): Promise<readonly SurveyedImage[]> {
  const images = await readImages(folder)
  return surveyed(withParents(images, chooseImages(images, names)), root, env)
}

/** The folder of images, for as long as `body` needs it. */
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

function world({root, env, version, refresh, registry, signal}: BuildVerbOptions): ImageWorld {
  const cache = imagesCache(env)
  return {
    async build({image, inputs}, onStep) {
      const carried = carriedPrograms(image.carries, root, env)
      const onLine = (line: string) => {
        const step = /^(\[\d+\/\d+\] )?STEP (?<step>.*)/.exec(line)?.groups?.step
        if (step !== undefined) onStep(step)
      }
      const record = await buildImage(image, {cache, inputs, carried, version, refresh, env, signal, onLine})
      await writeRecord(cache, image.name, record)
      return record
    },
    ...(registry && {
      async push({image}, record) {
        const known = record.pushed[registry.name]
        if (known !== undefined && (await pushedDigest(image, registry)) === known)
          return {digest: known, sent: false}
        const digest = await pushImage(image, record.id, registry, signal)
        await writeRecord(cache, image.name, {...record, pushed: {...record.pushed, [registry.name]: digest}})
        return {digest, sent: true}
      },
    }),
  }
}
