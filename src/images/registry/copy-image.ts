import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {type ContentStore, type Descriptor, type Manifest, verified} from './content.ts'

/** A repository of a registry or a layout. */
export interface ImagePlace {
  readonly store: ContentStore
  readonly repository: string
}

/** All that an image consists of, that of every platform. */
export interface ImageContent {
  /** Each after those that it names. */
  readonly manifests: readonly Manifest[]
  readonly blobs: readonly Descriptor[]
}

/** Returns what an image consists of. Rejects with `KK_IMAGE` where its place does not have it. */
export async function imageContent(place: ImagePlace, digest: string): Promise<ImageContent> {
  const manifest = await place.store.manifest(place.repository, digest)
  if (!manifest)
    throw new KkError('KK_IMAGE', `${place.store.name} does not have ${place.repository}@${digest}`, {
      hint: 'push it there again, or write down what is there now with kk charts lock',
    })
  const {manifests = [], config, layers = []} = JSON.parse(manifest.bytes.toString()) as Named
  const parts: ImageContent[] = []
  for (const each of manifests) parts.push(await imageContent(place, each.digest))
  const own = [...(config ? [config] : []), ...layers].filter(({mediaType}) => !ELSEWHERE.test(mediaType))
  const blobs = [...own, ...parts.flatMap((part) => part.blobs)]
  return {
    manifests: [...parts.flatMap((part) => part.manifests), manifest],
    blobs: [...new Map(blobs.map((blob) => [blob.digest, blob])).values()],
  }
}

/** What manifests and indexes name. */
interface Named {
  readonly manifests?: readonly Descriptor[]
  readonly config?: Descriptor
  readonly layers?: readonly Descriptor[]
}

/** Layers that may not be passed on: runtimes take them from addresses in the manifest. */
const ELSEWHERE = /foreign|nondistributable/

/** Returns the blobs that a place does not have. */
export async function missingBlobs(
  {store, repository}: ImagePlace,
  blobs: readonly Descriptor[],
): Promise<readonly Descriptor[]> {
  const present = await mapParallel(blobs, ({digest}) => store.hasBlob(repository, digest))
  return blobs.filter((_, at) => !present[at])
}

interface CopyOptions {
  readonly from: ImagePlace
  readonly to: ImagePlace
  readonly content: ImageContent
  /** Of the blobs, those that are not there yet. */
  readonly missing: readonly Descriptor[]
  /** The tag that it gets, or its digest. */
  readonly name: string
  /** Another repository of the same store that has a blob. */
  readonly elsewhere: (digest: string) => string | undefined
}

/** Copies an image with the same digest: blobs, then manifests, so that what has its name is whole. Rejects with `KK_IMAGE`. */
export async function copyImage({from, to, content, missing, name, elsewhere}: CopyOptions): Promise<void> {
  // All are settled before an error is told: whoever tries again meets nothing that is still being written.
  const failures = await mapParallel(missing, async (blob) => {
    const read = async () => verified(await from.store.readBlob(from.repository, blob), blob, from.store.name)
    return to.store.writeBlob(to.repository, blob, read, elsewhere(blob.digest)).then(
      () => undefined,
      (error: unknown) => ({error}),
    )
  })
  const failure = failures.find((each) => each !== undefined)
  if (failure) throw failure.error
  const whole = content.manifests.at(-1)
  for (const manifest of content.manifests)
    await to.store.writeManifest(to.repository, manifest, manifest === whole ? name : undefined)
}
