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
