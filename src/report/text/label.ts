import {type ReleaseId, releaseName} from '../../release.ts'

/** How releases are called in a text: by name, and by `namespace/name` where two of them share a name. */
export type Labels = (release: ReleaseId) => string

export function releaseLabels(releases: Iterable<ReleaseId>): Labels {
  const owners = new Map<string, ReleaseId>()
  const ambiguous = new Set<string>()
  for (const release of releases) {
    const name = releaseName(release)
    const other = owners.get(name) ?? release
    if (other !== release) ambiguous.add(name)
    owners.set(name, release)
  }
  return (release) => (ambiguous.has(releaseName(release)) ? release : releaseName(release))
}
