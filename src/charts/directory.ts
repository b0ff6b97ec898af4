import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import type {Chart, Library} from './chart.ts'
import type {ChartCache} from './chart-cache.ts'
import {readChartYaml} from './chart-yaml.ts'
import {isChartPackage} from './dependencies.ts'
import {unpackPackage} from './package-cache.ts'
import {readChart} from './read-chart.ts'
import {compareVersions, satisfiesConstraint} from './version.ts'

/** The chart to find. */
export interface WantedChart {
  readonly name: string
  /** A version or a constraint in Helm's syntax. */
  readonly version?: string
}

/** The charts and libraries that were read, by their directories, valid as long as these do not change. */
export interface ReadCharts {
  readonly charts: Map<string, Chart>
  readonly libraries: Map<string, Library>
  /** The results of earlier commands; undefined to ignore them. */
  readonly cache?: ChartCache | undefined
}

interface Reading {
  /** The directory for unpacked packages. */
  readonly cache: string
  readonly read?: ReadCharts | undefined
}

/**
 * Returns a chart in a directory of charts: `<path>/<name>/`, the newest fitting
 * `<path>/<name>-<version>.tgz`, or the path itself. Undefined without a fitting version. Rejects with
 * `KK_CHART`.
 */
export async function findInDirectory(
  path: string,
  wanted: WantedChart,
  {cache, read}: Reading,
): Promise<Chart | undefined> {
  for (const directory of [join(path, wanted.name), path]) {
    const cached = knownIn(directory, read)
    if (cached && fits(cached, wanted)) return cached
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

/** Returns the chart in a directory, if it was read before and is unchanged. */
export function knownIn(directory: string, read: ReadCharts | undefined): Chart | undefined {
  const chart = read?.charts.get(directory) ?? read?.cache?.find(directory)
  if (chart) read?.charts.set(directory, chart)
  return chart
}

/** Caches a chart for later searches. */
export async function keepChart(chart: Chart, read: ReadCharts | undefined): Promise<Chart> {
  const cached = (await read?.cache?.keep(chart)) ?? chart
  read?.charts.set(chart.directory, cached)
  return cached
}

/** Returns the names of the charts in a directory of charts. */
export function namesInDirectory(path: string): string[] {
  const folders = listEntries(path).filter((entry) => existsSync(join(path, entry, 'Chart.yaml')))
  const packages = listEntries(path).flatMap((entry) => /^(.+?)-v?\d[^/]*\.tgz$/.exec(entry)?.[1] ?? [])
  const own = existsSync(join(path, 'Chart.yaml')) ? [readChartYaml(path).name] : []
  return [...new Set([...own, ...folders, ...packages])].sort()
}

/** Returns true if a chart is the wanted one. */
export function fits(
  chart: {readonly name: string; readonly version: string},
  {name, version}: WantedChart,
): boolean {
  return chart.name === name && (version === undefined || satisfiesConstraint(chart.version, version))
}

/** Returns the versions of a chart in a directory of charts, unordered. */
export function versionsInDirectory(path: string, name: string): readonly string[] {
  const own = [join(path, name), path]
    .filter((directory) => existsSync(join(directory, 'Chart.yaml')))
    .map(readChartYaml)
    .filter((manifest) => manifest.name === name)
  const packages = listEntries(path).filter((entry) => isChartPackage(entry, name))
  return [
    ...own.map(({version}) => version),
    ...packages.map((entry) => entry.slice(name.length + 1, -'.tgz'.length)),
  ]
}

function packageVersions(path: string, {name, version = ''}: WantedChart): string[] {
  return listEntries(path)
    .filter((entry) => isChartPackage(entry, name))
    .map((entry) => entry.slice(name.length + 1, -'.tgz'.length))
    .filter((each) => satisfiesConstraint(each, version))
}

function listEntries(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
