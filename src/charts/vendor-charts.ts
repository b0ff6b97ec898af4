import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import type {Chart, Library} from './chart.ts'
import {digestRead} from './digest-chart.ts'
import {type ChartFile, writeChartFiles} from './files/chart-files.ts'
import {readOwnFiles} from './own-files.ts'

/**
 * Copies each chart, with its libraries unpacked under `charts/`, into a directory of the run, so that later
 * edits of the originals do not affect the run. The originals are not modified. Charts are copied one after
 * the other, before helm processes run in parallel. Returns the copies by the directory of the chart. Rejects
 * with `KK_CHART`, also for a chart that has changed since its facts were cached.
 */
export async function vendorCharts(
  charts: readonly Chart[],
  directory: string,
  {ignoreKubernetesVersion = false}: VendorOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const copies = new Map<string, string>()
  for (const chart of charts) {
    if (copies.has(chart.directory)) continue
    // Two sources may have charts of one name, and helm requires a directory with the name of its chart.
    const copy = join(directory, String(copies.size), chart.name)
    const files = vendoredFiles(chart)
    // The files of a chart with cached facts are read here for the first time.
    if (chart.known && (await digestRead(chart)) !== chart.known.digest) throw changed(chart)
    await writeChartFiles(ignoreKubernetesVersion ? files.map(withoutConstraint) : files, copy)
    copies.set(chart.directory, copy)
  }
  return copies
}

function changed({origin}: Chart): KkError {
  return new KkError('KK_CHART', `the files of ${origin} changed while the plan was made`, {
    hint: 'nothing was changed with them; run the same command again',
  })
}

export interface VendorOptions {
  /**
   * Omits `kubeVersion`: set if the cluster is not known, or if only the rendered objects matter.
   */
  readonly ignoreKubernetesVersion?: boolean
}

/**
 * Returns a file; the chart's own Chart.yaml without `kubeVersion`. Helm ignores the one of subcharts.
 */
function withoutConstraint(file: ChartFile): ChartFile {
  if (file.path !== 'Chart.yaml') return file
  return {...file, bytes: Buffer.from(file.bytes.toString().replace(/^kubeVersion:.*(?:\n[ \t]+.*)*$/m, ''))}
}

/** Returns the files of a chart, with those of its libraries under `charts/`. Throws `KK_CHART`. */
export function vendoredFiles(chart: Library): ChartFile[] {
  const own = readOwnFiles(chart).map((file) =>
    // These rules have been applied; helm would also apply them to the libraries, which have their own rules.
    file.path === '.helmignore' ? {...file, bytes: Buffer.alloc(0)} : file,
  )
  const libraries = chart.libraries.flatMap((library) =>
    vendoredFiles(library).map((file) => ({...file, path: `charts/${library.name}/${file.path}`})),
  )
  return [...own, ...libraries]
}
