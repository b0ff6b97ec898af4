/** A version of the site, in `versions.json` at its root, newest first. */
export interface SiteVersion {
  readonly version: string
  /** Its directory below the root, such as `0.1.0/`; empty for the version at the root. */
  readonly path: string
}

/**
 * Returns the versions of the site: `current` at its root, and each older one of the tags `v1.2.3` in a
 * directory of its own.
 */
export function siteVersions(current: string, tags: readonly string[]): readonly SiteVersion[] {
  const released = tags.flatMap((tag) => /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1] ?? [])
  const older = released.filter((version) => compare(version, current) < 0).toSorted((a, b) => compare(b, a))
  return [
    {version: current, path: ''},
    ...[...new Set(older)].map((version) => ({version, path: `${version}/`})),
  ]
}

function compare(one: string, other: string): number {
  const parts = (version: string) => version.split('.').map(Number)
  const [others, at] = [parts(other), parts(one).findIndex((part, index) => part !== parts(other)[index])]
  return at < 0 ? 0 : parts(one)[at]! - others[at]!
}
