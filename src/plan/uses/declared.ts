import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'

const REQUIRES = 'kk.openstack.org/requires'

/** What a chart declares to require, without the kinds of the edges: `mariadb`, or `namespace/mariadb`. */
export function declaredIn(annotations: Readonly<Record<string, string>>): readonly string[] {
  const words = (annotations[REQUIRES] ?? '').split(/[,\n]/).map((word) => word.trim().split(':', 1)[0]!)
  return words.filter((word) => word !== '')
}

/** The release that a chart means by a bare name: its neighbour, or whatever bears that name where it has none. */
export function meant(text: string, from: ReleaseId, all: readonly ReleaseId[]): readonly ReleaseId[] {
  if (text.includes('/')) return all.filter((release) => release === text)
  const named = all.filter((release) => releaseName(release) === text)
  const neighbour = named.filter((release) => releaseNamespace(release) === releaseNamespace(from))
  return neighbour.length > 0 ? neighbour : named
}
