import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {type ContentStore, type Descriptor, type Manifest, verified} from './content.ts'

/** A repository of a registry or a layout. */
export interface ImagePlace {
  readonly store: ContentStore
  readonly repository: string
}

/** The whole content of an image, for every platform. */
export interface ImageContent {
  /** In dependency order: each follows the manifests it refers to. */
  readonly manifests: readonly Manifest[]
  readonly blobs: readonly Descriptor[]
}

/** Returns the content of an image. Rejects with `KK_IMAGE` if its repository does not have it. */
export async function imageContent(place: ImagePlace, digest: string): Promise<ImageContent> {
  const manifest = await place.store.manifest(place.repository, digest)
  if (!manifest)
    throw new KkError('KK_IMAGE', `${place.store.name} does not have ${place.repository}@${digest}`, {
      hint: 'push it there again, or lock its present digest with kk charts lock',
    })
  const {manifests = [], config, layers = []} = JSON.parse(manifest.bytes.toString()) as References
  const parts: ImageContent[] = []
  for (const each of manifests) parts.push(await imageContent(place, each.digest))
  const own = [...(config ? [config] : []), ...layers].filter(
    ({mediaType}) => !NON_DISTRIBUTABLE.test(mediaType),
  )
  const blobs = [...own, ...parts.flatMap((part) => part.blobs)]
  return {
    manifests: [...parts.flatMap((part) => part.manifests), manifest],
    blobs: [...new Map(blobs.map((blob) => [blob.digest, blob])).values()],
  }
}

/** The references of manifests and indexes. */
interface References {
  readonly manifests?: readonly Descriptor[]
  readonly config?: Descriptor
  readonly layers?: readonly Descriptor[]
}

/** Layers that may not be redistributed: runtimes fetch them from URLs in the manifest. */
const NON_DISTRIBUTABLE = /foreign|nondistributable/

/** Returns the blobs that a repository does not have. */
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
  /** The blobs that the target does not have yet. */
  readonly missing: readonly Descriptor[]
  /** The tag or digest under which to write it. */
  readonly name: string
  /** Returns another repository of the target store that has the blob, to mount it from there. */
  readonly mountSource: (digest: string) => string | undefined
}

/**
 * Copies an image with the same digest: blobs before manifests, so that a named image is complete. Rejects
 * with `KK_IMAGE`.
 */
export async function copyImage({from, to, content, missing, name, mountSource}: CopyOptions): Promise<void> {
  // Waits for all blobs before an error is thrown, so that a retry does not meet blobs that are still being
  // written.
  const failures = await mapParallel(missing, async (blob) => {
    const read = async () => verified(await from.store.readBlob(from.repository, blob), blob, from.store.name)
    return to.store.writeBlob(to.repository, blob, read, mountSource(blob.digest)).then(
      () => undefined,
      (error: unknown) => ({error}),
    )
  })
  const failure = failures.find((each) => each !== undefined)
  if (failure) throw failure.error
  const rootManifest = content.manifests.at(-1)
  for (const manifest of content.manifests)
    await to.store.writeManifest(to.repository, manifest, manifest === rootManifest ? name : undefined)
}
