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
  /** The programs that Go builds for it. */
  readonly go: GoPrograms | undefined
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

/** Programs that Go builds of a module: of the one in the folder of the image, whose `go.sum` has the hashes, or of another. */
export interface GoPrograms {
  readonly module?: GoModule
  /** The packages: of the module, or of one that it requires. A program is called as the last part of its package. */
  readonly packages: readonly string[]
}

/** A module of the proxy, whose sources change as the patches (`*.patch`) in the folder of the image say. */
export interface GoModule {
  /** `github.com/traefik/traefik/v3@v3.7.13`. */
  readonly name: string
  /** Its hash, as `go.sum` has it. Those of the modules that it is made of are in its own `go.sum`. */
  readonly sum: string
}

/** What buildah calls it on this machine. */
export function localReference({repository, tag}: Pick<Image, 'repository' | 'tag'>): string {
  return `localhost/${repository}:${tag}`
}
