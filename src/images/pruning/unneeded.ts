/**
 * An image in buildah's storage; unnamed ones are build steps, or images whose name a later build took over.
 */
export interface StoredImage {
  readonly id: string
  readonly names: readonly string[]
  /** From the root file system upwards. */
  readonly layers: readonly Layer[]
  /** True if it has the label of an image that kk built. */
  readonly labelled: boolean
}

interface Layer {
  readonly digest: string
  readonly bytes: number
}

export interface UnneededImage {
  readonly id: string
  readonly names: readonly string[]
  /** The size of the layers removed with it but not with an image before it. */
  readonly bytes: number
}

/** The prefix of the references of images that kk builds now. */
const KK_PREFIX = 'localhost/kk/'

/**
 * Returns the images that kk built and no longer needs: images whose reference it no longer builds, images
 * replaced by a newer build, and their build steps, children before parents. Build steps of needed images
 * stay as the cache of the next build; foreign images stay, too. `references` are the references that kk
 * builds, `ids` the ids of its last builds and of images that containers use.
 */
export function unneededImages(
  stored: readonly StoredImage[],
  {references, ids}: {readonly references: ReadonlySet<string>; readonly ids: ReadonlySet<string>},
): readonly UnneededImage[] {
  const own = ownImages(stored)
  const needed = stored.filter(
    (image) => !own.has(image) || ids.has(image.id) || image.names.some((name) => references.has(name)),
  )
  const unneeded = stored
    .filter((image) => !needed.includes(image) && !needed.some((other) => isBuildStep(image, other)))
    .toSorted((a, b) => b.layers.length - a.layers.length || (a.id < b.id ? -1 : 1))
  const counted = new Set(
    stored
      .filter((image) => !unneeded.includes(image))
      .flatMap(({layers}) => layers.map(({digest}) => digest)),
  )
  return unneeded.map(({id, names, layers}) => {
    const removed = layers.filter(({digest}) => !counted.has(digest) && counted.add(digest))
    return {id, names, bytes: removed.reduce((sum, {bytes}) => sum + bytes, 0)}
  })
}

/** Returns the images with kk's name or label, and unnamed ones that share their root file system. */
function ownImages(stored: readonly StoredImage[]): ReadonlySet<StoredImage> {
  const isNamed = ({names}: StoredImage) => names.some((name) => name.startsWith(KK_PREFIX))
  const identified = stored.filter((image) => isNamed(image) || (image.names.length === 0 && image.labelled))
  const roots = new Set(identified.map(({layers}) => layers[0]?.digest))
  return new Set([
    ...identified,
    ...stored.filter(({names, layers}) => names.length === 0 && roots.has(layers[0]?.digest)),
  ])
}

/** Returns true if an image is unnamed and the other one begins with all of its layers. */
function isBuildStep({names, layers}: StoredImage, other: StoredImage): boolean {
  return (
    names.length === 0 &&
    layers.length < other.layers.length &&
    layers.every(({digest}, index) => digest === other.layers[index]?.digest)
  )
}
