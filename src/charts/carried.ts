import {existsSync} from 'node:fs'
import {join, relative} from 'node:path'
import {isSea} from 'node:sea'
import {readAsset} from '../state/assets.ts'
import type {Chart, KnownChart, Library} from './chart.ts'
import {type Digests, digestChart} from './digest-chart.ts'
import {findInDirectory, fits, namesInDirectory, type WantedChart} from './directory.ts'
import {knownOf} from './known-chart.ts'

/**
 * The built-in charts by name, as they were at build time, with their cached facts; paths are relative to
 * their directory. Reading them at runtime would take a fifth of a command's time.
 */
export type CarriedCharts = Readonly<Record<string, Chart & {readonly known: KnownChart}>>

/** The carried charts, and the digests of directories that were compared with theirs. */
export interface Carried {
  readonly charts: CarriedCharts
  readonly digests: Digests
}

/**
 * Opens the executable's data of its charts, for one command; undefined when running from sources, which may
 * change.
 */
export async function openCarried(): Promise<Carried | undefined> {
  if (!isSea()) return undefined
  const text = (await readAsset('charts.json')).toString()
  return {charts: JSON.parse(text) as CarriedCharts, digests: new Map()}
}

/** Reads all charts of a directory. Rejects with `KK_CHART`. */
export async function readCarried(directory: string): Promise<CarriedCharts> {
  const carried = namesInDirectory(directory).map(async (name) => {
    const chart = (await findInDirectory(directory, {name}, {cache: directory}))!
    return [
      name,
      {...moved(chart, (path) => relative(directory, path)), known: await knownOf(chart)},
    ] as const
  })
  return Object.fromEntries(await Promise.all(carried))
}

/** Returns a carried chart whose files are below `directory`; undefined without a fitting version. */
export function carriedChart({charts}: Carried, wanted: WantedChart, directory: string): Chart | undefined {
  const chart = Object.hasOwn(charts, wanted.name) ? charts[wanted.name]! : undefined
  return chart && fits(chart, wanted) ? moved(chart, (path) => join(directory, path)) : undefined
}

/**
 * Returns the chart of a directory of charts if it equals the carried one, including its libraries; undefined
 * if it differs or may differ. Rejects with `KK_CHART`.
 */
export async function sameChart(
  carried: Carried,
  wanted: WantedChart,
  directory: string,
): Promise<Chart | undefined> {
  const chart = carriedChart(carried, wanted, directory)
  if (!chart || ![chart, ...chart.libraries].every(isPlain)) return undefined
  const {known, ...read} = chart
  return (await digestChart(read, carried.digests)) === known?.digest ? chart : undefined
}

/** Returns true for a chart without a nested chart, which helm would load as a library. */
function isPlain({directory}: Library): boolean {
  return existsSync(join(directory, 'Chart.yaml')) && !existsSync(join(directory, 'charts'))
}

function moved(chart: Chart, place: (path: string) => string): Chart {
  return {
    ...chart,
    ...movedLibrary(chart, place),
    origin: place(chart.origin),
    requires: chart.requires.map(({evidence, position, ...each}) => ({
      ...each,
      ...(position && {position: {...position, file: place(position.file)}}),
      evidence: {...evidence, file: place(evidence.file)},
    })),
  }
}

function movedLibrary({name, directory, libraries}: Library, place: (path: string) => string): Library {
  return {
    name,
    directory: place(directory),
    libraries: libraries.map((library) => movedLibrary(library, place)),
  }
}
