/** Maps that hold images and nothing else, in openstack-helm's tree and in most others. */
const IMAGE_MAPS: ReadonlySet<string> = new Set(['images', 'image'])
/** Parts of a reference, wherever they stand. */
const IMAGE_PARTS: ReadonlySet<string> = new Set(['tag', 'repository', 'registry', 'digest'])
/** In those maps, but no part of a reference. */
const NO_IMAGE: ReadonlySet<string> = new Set(['pull_policy', 'pullPolicy', 'pullSecrets', 'local_registry'])
/** Places of openstack-helm's where `image` is the service or a file: `endpoints.image`, `bootstrap.structured.images`. */
const OTHER_PLACES: ReadonlySet<string> = new Set(['endpoints', 'conf', 'bootstrap', 'secrets', 'network'])

/** Whether a value at this path decides which image runs, as far as its names tell. */
export function isImagePath(path: readonly string[]): boolean {
  const [place = ''] = path[0] === 'global' ? path.slice(1) : path
  if (OTHER_PLACES.has(place) || path.some((key) => NO_IMAGE.has(key))) return false
  return path.some((key) => IMAGE_MAPS.has(key)) || IMAGE_PARTS.has(path.at(-1) ?? '')
}
