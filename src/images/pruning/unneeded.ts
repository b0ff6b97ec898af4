/** An image in buildah's storage; those without a name are steps of builds, and what a later build took the name of. */
export interface StoredImage {
  readonly id: string
  readonly names: readonly string[]
  /** From the root file system upwards. */
  readonly layers: readonly Layer[]
  /** Has the label of an image that kk built. */
  readonly labelled: boolean
}

interface Layer {
  readonly digest: string
  readonly bytes: number
}

export interface UnneededImage {
  readonly id: string
  readonly names: readonly string[]
  /** Of the layers that go with it and with none before it. */
  readonly bytes: number
}

/** The references of the images that kk builds now begin so. */
const OWN = 'localhost/kk/'

/**
 * Returns what kk built and needs no more: images whose reference it builds no more, those that a newer build replaced,
 * and the steps of their builds, those that stand on others first. Steps of needed images stay, for the next build goes
 * on from them, as does all that is not kk's. `references` are those that kk builds, `ids` what it built
 * last and what containers use.
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
    .filter((image) => !needed.includes(image) && !needed.some((other) => isStepOf(image, other)))
    .toSorted((a, b) => b.layers.length - a.layers.length || (a.id < b.id ? -1 : 1))
  const counted = new Set(
    stored
      .filter((image) => !unneeded.includes(image))
      .flatMap(({layers}) => layers.map(({digest}) => digest)),
  )
  return unneeded.map(({id, names, layers}) => {
    const gone = layers.filter(({digest}) => !counted.has(digest) && counted.add(digest))
    return {id, names, bytes: gone.reduce((sum, {bytes}) => sum + bytes, 0)}
  })
}

/** Those that bear kk's name or label, and those without a name that begin with the root file system of such a one. */
function ownImages(stored: readonly StoredImage[]): ReadonlySet<StoredImage> {
  const isNamed = ({names}: StoredImage) => names.some((name) => name.startsWith(OWN))
  const sure = stored.filter((image) => isNamed(image) || (image.names.length === 0 && image.labelled))
  const roots = new Set(sure.map(({layers}) => layers[0]?.digest))
  return new Set([
    ...sure,
    ...stored.filter(({names, layers}) => names.length === 0 && roots.has(layers[0]?.digest)),
  ])
}

/** Whether it has no name and the other begins with all of its layers. */
function isStepOf({names, layers}: StoredImage, other: StoredImage): boolean {
  return (
    names.length === 0 &&
    layers.length < other.layers.length &&
    layers.every(({digest}, index) => digest === other.layers[index]?.digest)
  )
}
