/** One image that kk can build, as `images/images.yaml` describes it. */
export interface Image {
  /** How kk calls it; unique. */
  readonly name: string
  /** `kk/keystone`: below whatever registry it is pushed to. */
  readonly repository: string
  readonly tag: string
  readonly title: string
  readonly source: string | undefined
  /** The package whose version is the image's, `deb/NAME`, `pypi/NAME` or `golang/MODULE`; or `kk`. */
  readonly version: string
  readonly folder: string
  readonly containerfile: string
  readonly arguments: Readonly<Record<string, string>>
  /** Programs of this machine that go into it. */
  readonly carries: readonly Carried[]
  /** The root file system that mmdebstrap makes for it. */
  readonly rootfs: Rootfs | undefined
  /** The program that Go builds for it. */
  readonly go: GoProgram | undefined
  /** The images, by kk's names, that it stands on. */
  readonly parents: readonly string[]
  /** The place in a chart's `images.tags` that it fills. */
  readonly chart: string | undefined
}

export type Carried = 'kk' | 'helm'

export interface Rootfs {
  readonly suite: string
  readonly include: readonly string[]
}

/** A program of a Go module, with the patches (`*.patch`) in the folder of its image. */
export interface GoProgram {
  /** The module: `github.com/traefik/traefik/v3@v3.7.13`. */
  readonly module: string
  /** Its hash, as `go.sum` has it. Those of the modules that it is made of are in its own `go.sum`. */
  readonly sum: string
  /** The package inside it; the program is called as its last part. */
  readonly package: string
}

/** What buildah calls it on this machine. */
export function localReference({repository, tag}: Pick<Image, 'repository' | 'tag'>): string {
  return `localhost/${repository}:${tag}`
}
