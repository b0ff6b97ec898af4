import {createHash} from 'node:crypto'
import {oncePerObject} from '../base/once.ts'
import type {Library} from './chart.ts'
import type {ChartFile} from './files/chart-files.ts'
import {readPackageFiles} from './files/package-files.ts'
import {readOwnFiles} from './own-files.ts'

/** The digests of charts and libraries by their directory, valid as long as these do not change. */
export type Digests = Map<string, Promise<string>>

/**
 * Returns the SHA-256 (hex) over everything in a chart that helm would load: paths and contents, with those
 * of its present `file://` libraries. Times, `Chart.lock` and the packaging of subcharts have no influence.
 * Rejects with `KK_CHART`.
 */
export function digestChart(chart: Library, seen: Digests = new Map()): Promise<string> {
  const cached = seen.get(chart.directory)
  if (cached) return cached
  const value = digestTree(chart, seen)
  seen.set(chart.directory, value)
  return value
}

/** Returns the digests of many charts by their directory; a shared library is read once. */
export async function digestCharts(charts: readonly Library[]): Promise<ReadonlyMap<string, string>> {
  const seen: Digests = new Map()
  for (const chart of charts) await digestChart(chart, seen)
  const entries = [...seen].map(async ([directory, value]) => [directory, await value] as const)
  return new Map(await Promise.all(entries))
}

async function digestTree(chart: Library, seen: Digests): Promise<string> {
  return chart.known?.digest ?? joined(chart, (library) => digestChart(library, seen))
}

/**
 * Returns the digest of the files that `readOwnFiles` returns for a chart and its libraries, ignoring known
 * facts. Rejects with `KK_CHART`.
 */
export function digestRead(chart: Library): Promise<string> {
  return joined(chart, digestRead)
}

async function joined(chart: Library, digestLibrary: (library: Library) => Promise<string>): Promise<string> {
  const own = await ownDigest(chart)
  const libraries = await Promise.all(
    chart.libraries.map(async (library) => `${library.name} ${await digestLibrary(library)}\n`),
  )
  return createHash('sha256')
    .update(`${own}\n${libraries.sort().join('')}`)
    .digest('hex')
}

/** Returns the digest of the files from `readOwnFiles`. */
const ownDigest = oncePerObject((chart: Library) => digestFiles(readOwnFiles(chart)))

async function digestFiles(files: readonly ChartFile[]): Promise<string> {
  const hash = createHash('sha256')
  for (const {path, bytes} of files) {
    if (/^charts\/[^/]+\.tgz$/.test(path)) {
      // A package contains the times of its files, so that packing the same chart again gives other bytes.
      hash.update(`${path}\0package\0${await digestFiles(await readPackageFiles(bytes, path))}`)
      continue
    }
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}
