import type {Values} from '../../release.ts'

/** A release that is to be written into an environment file. */
export interface ImportedRelease {
  readonly name: string
  readonly namespace: string
  readonly chart: {readonly name: string; readonly version?: string}
  readonly values: Values
  /** As `kk.releases.X.requires` writes them. */
  readonly requires: readonly string[]
  readonly timeout?: string
  /** What is to be known of it, for a comment. */
  readonly notes: readonly string[]
}

/** A source of charts, as `kk.charts` writes it. */
export type ImportedSource = string | {readonly repository: string} | {readonly oci: string}

/** What an environment file is written from. */
export interface Imported {
  readonly name: string
  /** For people: where it was read from. */
  readonly from: string
  readonly charts: readonly ImportedSource[]
  readonly releases: readonly ImportedRelease[]
  /** What could not be known, or has no place in an environment; each a sentence. */
  readonly lost: readonly string[]
}

/** The namespace in which most releases are; the first of several. */
export function commonNamespace(releases: readonly Pick<ImportedRelease, 'namespace'>[]): string {
  const counts = new Map<string, number>()
  for (const {namespace} of releases) counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'openstack'
}

/** Sections that are no release's. */
const RESERVED = new Set(['kk', 'global'])

/**
 * Leaves out releases whose name is taken: a section has the name of its release, whatever the namespace, and two sections
 * have a meaning of their own.
 */
export function withOwnNames(releases: readonly ImportedRelease[]): {
  readonly releases: readonly ImportedRelease[]
  readonly lost: readonly string[]
} {
  const kept = new Map<string, ImportedRelease>()
  const lost: string[] = []
  for (const release of releases) {
    const other = kept.get(release.name)
    if (RESERVED.has(release.name))
      lost.push(
        `${release.namespace}/${release.name} is left out: a section of that name is no release, so it stays with helm`,
      )
    else if (!other) kept.set(release.name, release)
    else
      lost.push(
        `${release.namespace}/${release.name} is left out: ${other.namespace}/${other.name} has the same name, so it needs an environment of its own (--namespace)`,
      )
  }
  return {releases: [...kept.values()], lost}
}
