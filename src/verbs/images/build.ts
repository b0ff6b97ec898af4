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
import {writeRecord} from '../../images/inventory/record.ts'
import type {SurveyedImage} from '../../images/inventory/survey.ts'
import {pushImage} from '../../images/registry/push.ts'
import {pushedDigest} from '../../images/registry/pushed-digest.ts'
import type {Registry} from '../../images/registry/registry.ts'
import {withLock} from '../../state/lock.ts'
import {imagesCache, knownImages, surveyed} from './image-world.ts'

/** More would wait for the disk. */
const AT_ONCE = 2

export interface BuildVerbOptions {
  /** All without a name. */
  readonly names: readonly string[]
  /** What holds the folder `images/`. */
  readonly root: string
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
export async function planImages({
  names,
  root,
  env,
}: Pick<BuildVerbOptions, 'names' | 'root' | 'env'>): Promise<readonly SurveyedImage[]> {
  const images = await knownImages(root)
  return surveyed(withParents(images, chooseImages(images, names)), root, env)
}

/** Builds what is not current, and pushes it where a registry is named. Throws `KK_IMAGE_TOOLS` and `KK_USAGE`. */
export async function build(options: BuildVerbOptions): Promise<readonly ImageResult[]> {
  const {env, refresh, signal, onEvent, onWait} = options
  expectTools(env)
  const work = async () =>
    buildImages(await planImages(options), {
      world: world(options),
      refresh,
      concurrency: AT_ONCE,
      signal,
      onEvent,
    })
  return withLock(join(imagesCache(env), 'lock'), work, {signal, onWait: ({pid}) => onWait(pid)})
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
