/** One of `set` and `setString`: a value, several, or a file that holds it. */
export interface HelmfileSet {
  readonly name: string
  readonly value?: unknown
  readonly values?: readonly unknown[]
  readonly file?: string
}

/** A release as helmfile writes it; only what has a place in an environment, or is worth a word. */
export interface HelmfileRelease {
  readonly name: string
  readonly namespace?: string
  readonly chart?: string
  readonly version?: string
  readonly installed?: boolean
  /** A place in the values of the helmfile: `db.enabled`. */
  readonly condition?: string
  readonly needs?: readonly string[]
  /** In seconds; 0 is helm's own. */
  readonly timeout?: number
  readonly values?: readonly unknown[]
  readonly set?: readonly HelmfileSet[]
  readonly setString?: readonly HelmfileSet[]
  readonly [key: string]: unknown
}

/** A helmfile, as `helmfile build` prints it or as its YAML stands; it follows `HELMFILE_SCHEMA`, and nothing in it is null. */
export interface Helmfile {
  /** That of all its releases, whatever they say. */
  readonly namespace?: string
  readonly repositories?: readonly {
    readonly name?: string
    readonly url?: string
    readonly oci?: boolean
  }[]
  readonly helmDefaults?: {readonly timeout?: number; readonly kubeContext?: string}
  readonly kubeContext?: string
  readonly releases?: readonly HelmfileRelease[]
  /** The values of the helmfile itself, as `helmfile build` has worked them out. */
  readonly renderedvalues?: unknown
  readonly [key: string]: unknown
}
