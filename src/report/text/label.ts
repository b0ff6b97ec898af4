import {type ReleaseId, releaseName} from '../../release.ts'

/** Returns the label of a release: its name, or `namespace/name` if two releases share the name. */
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
