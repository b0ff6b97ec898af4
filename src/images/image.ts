/** One image that kk can build, as `images/images.yaml` describes it. */
export interface Image {
  /** kk's name of it; unique. */
  readonly name: string
  /** The path in any registry: `kk/keystone`. */
  readonly repository: string
  readonly tag: string
  readonly title: string
  readonly source: string | undefined
  /**
   * The package whose version is the image's version, `deb/NAME`, `pypi/NAME` or `golang/MODULE`; or `kk`.
   */
  readonly version: string
  readonly folder: string
  readonly containerfile: string
  readonly arguments: Readonly<Record<string, string>>
  /** Programs of this machine that are copied into it. */
  readonly carries: readonly Carried[]
  /** The root file system that mmdebstrap creates for it. */
  readonly rootfs: Rootfs | undefined
  /** The programs that Go builds for it. */
  readonly go: GoPrograms | undefined
  /** The names of the images that it is based on. */
  readonly parents: readonly string[]
  /** The key in a chart's `images.tags` that refers to it. */
  readonly chart: string | undefined
}

export type Carried = 'kk' | 'helm'

export interface Rootfs {
  readonly suite: string
  readonly include: readonly string[]
}

/**
 * Programs built from a Go module: the one in the image's folder, whose `go.sum` has the hashes, or another
 * one.
 */
export interface GoPrograms {
  readonly module?: GoModule
  /**
   * Packages of the module, or of one that it requires. A program is named after the last part of its
   * package that is no major version.
   */
  readonly packages: readonly string[]
}

/** A module of the proxy, whose sources are patched by the files `*.patch` in the image's folder. */
export interface GoModule {
  /** `github.com/traefik/traefik/v3@v3.7.13`. */
  readonly name: string
  /** Its hash, as in `go.sum`. The hashes of its requirements are in its own `go.sum`. */
  readonly sum: string
}

/** Returns the reference of an image in buildah's storage on this machine. */
export function localReference({repository, tag}: Pick<Image, 'repository' | 'tag'>): string {
  return `localhost/${repository}:${tag}`
}
