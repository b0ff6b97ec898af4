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
import {chartPage, readPackage} from '../../charts/package-charts.ts'
import {neededImages} from '../needed-images.ts'

/** An image to mirror, and its source. */
export interface SourceImage {
  /** The reference in charts: `quay.io/ns/keystone:2025.1`. */
  readonly image: string
  readonly digest: string
  readonly from: ImagePlace
}

/** The images and charts to mirror. */
export interface MirrorContents {
  readonly images: readonly SourceImage[]
  readonly charts: readonly PackedChart[]
}

export interface ContentsPorts {
  readonly helm: Pick<Helm, 'template'>
  readonly packages: Pick<Packages, 'pull'>
  /** Returns the registry of a host. */
  readonly registries: (host: string) => ContentStore
  /** The digests of `kk.lock`, which take precedence. */
  readonly locked: Lock['images']
}

/**
 * Returns what an environment needs: its charts, and the images of its pods with their locked digests or,
 * without a lock, the current ones of their registries. Rejects with `KK_IMAGE` with every image without a
 * digest, and with `KK_CHART`.
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
  for (const chart of charts.values()) packed.push(await chartPackage(chart, prepared.environment, packages))
  return {images, charts: packed}
}

/** Returns the original package of a chart with its provenance; a chart from a directory is packed. */
async function chartPackage(
  chart: Chart,
  {charts}: Pick<Environment, 'charts'>,
  packages: Pick<Packages, 'pull'>,
): Promise<PackedChart> {
  const {name, version, origin, packageDigest} = chart
  if (packageDigest === undefined) return packChart(chart, {page: chartPage(chart)})
  const source = charts.find((each) => 'url' in each && withoutCredentials(each.url) === origin)
  const directory = await temporaryDirectory('kk-mirror-')
  try {
    const file =
      source && 'url' in source
        ? await packages.pull({source, name, version, provenance: 'fetch'}, directory.path)
        : origin
    const packed = file === undefined ? undefined : await readPackage(file)
    if (packed?.digest === packageDigest) return packed
    throw new KkError('KK_CHART', `${origin} no longer has the package of ${name} ${version}`, {
      hint: `its digest was sha256:${packageDigest}; inspect what is there now`,
    })
  } finally {
    await directory.remove()
  }
}
