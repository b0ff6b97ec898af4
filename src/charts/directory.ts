import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import type {Chart, Library} from './chart.ts'
import {readChartYaml} from './chart-yaml.ts'
import {isPackageOf} from './dependencies.ts'
import type {KeptCharts} from './kept-charts.ts'
import {unpackPackage} from './package-cache.ts'
import {readChart} from './read-chart.ts'
import {compareVersions, satisfiesConstraint} from './version.ts'

/** Which chart is looked for. */
export interface WantedChart {
  readonly name: string
  /** A version or a constraint as Helm reads it. */
  readonly version?: string
}

/** The charts and libraries that were read, by their directories, for as long as these are taken to be the same. */
export interface ReadCharts {
  readonly charts: Map<string, Chart>
  readonly libraries: Map<string, Library>
  /** What was found out of them by earlier commands; undefined if that is not to be used. */
  readonly kept?: KeptCharts | undefined
}

interface Reading {
  /** The directory in which unpacked packages are kept. */
  readonly cache: string
  readonly read?: ReadCharts | undefined
}

/**
 * A chart in a directory of charts: `<path>/<name>/`, the newest fitting `<path>/<name>-<version>.tgz`, or the path
 * itself. Undefined when it is not there in a fitting version. Rejects with `KK_CHART`.
 */
export async function findInDirectory(
  path: string,
  wanted: WantedChart,
  {cache, read}: Reading,
): Promise<Chart | undefined> {
  for (const directory of [join(path, wanted.name), path]) {
    const known = knownIn(directory, read)
    if (known && fits(known, wanted)) return known
    if (!existsSync(join(directory, 'Chart.yaml'))) continue
    const manifest = readChartYaml(directory)
    if (!fits(manifest, wanted)) continue
    return keepChart(readChart(directory, {origin: directory, manifest, libraries: read?.libraries}), read)
  }

  const [newest] = packageVersions(path, wanted).sort(compareVersions).reverse()
  if (newest === undefined) return undefined
  const file = join(path, `${wanted.name}-${newest}.tgz`)
  const unpacked = await unpackPackage(file, cache)
  return readChart(unpacked.directory, {origin: file, packageDigest: unpacked.digest})
}

/** Returns the chart in a directory, if it was read before and is the same. */
export function knownIn(directory: string, read: ReadCharts | undefined): Chart | undefined {
  const chart = read?.charts.get(directory) ?? read?.kept?.find(directory)
  if (chart) read?.charts.set(directory, chart)
  return chart
}

/** Keeps a chart for those who look for it later. */
export async function keepChart(chart: Chart, read: ReadCharts | undefined): Promise<Chart> {
  const kept = (await read?.kept?.keep(chart)) ?? chart
  read?.charts.set(chart.directory, kept)
  return kept
}

/** The names of the charts in a directory of charts. */
export function namesInDirectory(path: string): string[] {
  const folders = entriesOf(path).filter((entry) => existsSync(join(path, entry, 'Chart.yaml')))
  const packages = entriesOf(path).flatMap((entry) => /^(.+?)-v?\d[^/]*\.tgz$/.exec(entry)?.[1] ?? [])
  const own = existsSync(join(path, 'Chart.yaml')) ? [readChartYaml(path).name] : []
  return [...new Set([...own, ...folders, ...packages])].sort()
}

/** Whether a chart is the one that is looked for. */
export function fits(
  found: {readonly name: string; readonly version: string},
  {name, version}: WantedChart,
): boolean {
  return found.name === name && (version === undefined || satisfiesConstraint(found.version, version))
}

/** Returns the versions of a chart in a directory of charts, in no order. */
export function versionsInDirectory(path: string, name: string): readonly string[] {
  const own = [join(path, name), path]
    .filter((directory) => existsSync(join(directory, 'Chart.yaml')))
    .map(readChartYaml)
    .filter((manifest) => manifest.name === name)
  const packages = entriesOf(path).filter((entry) => isPackageOf(entry, name))
  return [
    ...own.map(({version}) => version),
    ...packages.map((entry) => entry.slice(name.length + 1, -'.tgz'.length)),
  ]
}

function packageVersions(path: string, {name, version = ''}: WantedChart): string[] {
  return entriesOf(path)
    .filter((entry) => isPackageOf(entry, name))
    .map((entry) => entry.slice(name.length + 1, -'.tgz'.length))
    .filter((found) => satisfiesConstraint(found, version))
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
