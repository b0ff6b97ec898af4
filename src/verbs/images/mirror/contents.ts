import {asKkError, KkError} from '../../../base/errors.ts'
import type {Chart} from '../../../charts/chart.ts'
import type {Lock} from '../../../charts/lock-file.ts'
import {type PackedChart, packChart} from '../../../charts/publishing/pack-chart.ts'
import type {Environment} from '../../../environment/environment.ts'
import type {Helm} from '../../../helm/helm.ts'
import {withoutCredentials} from '../../../helm/package-url.ts'
import type {Packages} from '../../../helm/pull.ts'
import type {ContentStore} from '../../../images/registry/content.ts'
import type {ImagePlace} from '../../../images/registry/copy-image.ts'
import {parseReference} from '../../../images/registry/reference.ts'
import {digestResolver} from '../../../images/registry/resolve.ts'
import type {Prepared} from '../../../prepare/prepare.ts'
import {temporaryDirectory} from '../../../state/files/temporary-directory.ts'
import {pageOf, readPackage} from '../../charts/package-charts.ts'
import {neededImages} from '../needed-images.ts'

/** An image that is to be mirrored, and where it is now. */
export interface SourceImage {
  /** As charts write it: `quay.io/ns/keystone:2025.1`. */
  readonly image: string
  readonly digest: string
  readonly from: ImagePlace
}

/** What is to be mirrored. */
export interface MirrorContents {
  readonly images: readonly SourceImage[]
  readonly charts: readonly PackedChart[]
}

export interface ContentsPorts {
  readonly helm: Pick<Helm, 'template'>
  readonly packages: Pick<Packages, 'pull'>
  /** Returns the registry of a host. */
  readonly registries: (host: string) => ContentStore
  /** The digests of `kk.lock`, which count where it has them. */
  readonly locked: Lock['images']
}

/**
 * Returns what an environment needs: the images of its pods by the digests that are locked, or else that their registries have
 * now, and its charts. Rejects with `KK_IMAGE`, which names every image that has no digest, and with `KK_CHART`.
 */
export async function environmentContents(
  prepared: Prepared,
  {helm, packages, registries, locked}: ContentsPorts,
): Promise<MirrorContents> {
  const digestOf = digestResolver(registries)
  const images: SourceImage[] = []
  const missing: string[] = []
  for (const {image} of await neededImages(prepared, helm)) {
    const {host, repository} = parseReference(image)
    try {
      const digest = locked[image] ?? (await digestOf(image))
      images.push({image, digest, from: {store: registries(host), repository}})
    } catch (error) {
      const {code, message} = asKkError(error)
      if (code !== 'KK_IMAGE') throw error
      missing.push(`  ${image}: ${message}`)
    }
  }
  if (missing.length > 0)
    throw new KkError('KK_IMAGE', ['these images cannot be read:', ...missing].join('\n'), {
      hint: 'nothing was copied; push them, log in to their registries, or name others in the values',
    })
  const charts = new Map([...prepared.releases.values()].map(({chart}) => [chart.directory, chart]))
  const packed: PackedChart[] = []
  for (const chart of charts.values()) packed.push(await packageOf(chart, prepared.environment, packages))
  return {images, charts: packed}
}

/** Returns the package that a chart came in, byte for byte, with what its signer says of it; one that came in none is packed. */
async function packageOf(
  chart: Chart,
  {charts}: Pick<Environment, 'charts'>,
  packages: Pick<Packages, 'pull'>,
): Promise<PackedChart> {
  const {name, version, origin, packageDigest} = chart
  if (packageDigest === undefined) return packChart(chart, {page: pageOf(chart)})
  const source = charts.find((each) => 'url' in each && withoutCredentials(each.url) === origin)
  const directory = await temporaryDirectory('kk-mirror-')
  try {
    const file =
      source && 'url' in source
        ? await packages.pull({source, name, version, provenance: 'fetch'}, directory.path)
        : origin
    const packed = file === undefined ? undefined : await readPackage(file)
    if (packed?.digest === packageDigest) return packed
    throw new KkError('KK_CHART', `${origin} has no longer the package of ${name} ${version}`, {
      hint: `its digest was sha256:${packageDigest}; look at what is there now`,
    })
  } finally {
    await directory.remove()
  }
}
