/** A release as helmfile writes it; only what has a place in an environment, or is worth a word. */
export interface HelmfileRelease {
  readonly name?: string
  readonly namespace?: string
  readonly chart?: string
  readonly version?: string
  readonly installed?: boolean
  readonly needs?: readonly string[]
  readonly timeout?: number
  readonly values?: readonly unknown[]
  readonly set?: readonly {readonly name?: string; readonly value?: unknown}[]
  readonly [key: string]: unknown
}

/** A helmfile, as `helmfile build` prints it or as its YAML stands. */
export interface Helmfile {
  readonly repositories?: readonly {
    readonly name?: string
    readonly url?: string
    readonly oci?: boolean
  }[]
  readonly helmDefaults?: {readonly timeout?: number}
  readonly releases?: readonly HelmfileRelease[]
  readonly [key: string]: unknown
}

/** Keys of a release that say nothing an environment lacks. */
const HARMLESS = new Set([
  'wait',
  'waitForJobs',
  'createNamespace',
  'atomic',
  'force',
  'cleanupOnFail',
  'labels',
  'verify',
])

/** Keys that were understood. */
const KNOWN = new Set([
  'name',
  'namespace',
  'chart',
  'version',
  'installed',
  'needs',
  'timeout',
  'values',
  'set',
])

/** Keys of a release that an environment has no place for: hooks, patches, secrets of sops, transformers. */
export function lostKeys(release: HelmfileRelease): readonly string[] {
  return Object.keys(release).filter((key) => !KNOWN.has(key) && !HARMLESS.has(key))
}
