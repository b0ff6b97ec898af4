import {join} from 'node:path'
import type {ChartSource} from '../environment/environment.ts'
import {suggest} from '../environment/suggest.ts'
import {KkError} from '../errors.ts'
import {withoutCredentials} from '../helm/pull/package-url.ts'
import type {Packages} from '../helm/pull.ts'
import type {Chart} from './chart.ts'
import {findInDirectory, namesInDirectory, type WantedChart} from './sources/directory.ts'
import {findInRemote} from './sources/remote.ts'

/** What finding charts needs of the world. */
export interface ChartFinding {
  /** A directory with the charts that kk carries. */
  builtIn(): Promise<string>
  /** kk's cache; packages are unpacked below `charts/` in it. */
  readonly cache: string
  readonly packages: Packages
}

/**
 * The chart of this name in the first source that has it in a fitting version. Rejects with `KK_CHART_NOT_FOUND`,
 * which lists the sources and suggests a name, and with `KK_CHART` when a chart or a source cannot be used.
 */
export async function findChart(
  wanted: WantedChart,
  sources: readonly ChartSource[],
  finding: ChartFinding,
): Promise<Chart> {
  const found = /^[\w.-]+$/.test(wanted.name) ? await firstWith(wanted, sources, finding) : undefined
  if (!found) throw await notFound(wanted, sources, finding)
  if (found.type === 'application') return found
  throw new KkError(
    'KK_CHART',
    `${found.name} in ${found.origin} is a library: it can only be part of other charts`,
    {
      hint: `take ${found.name} out of what is to be deployed`,
    },
  )
}

/** The names of all charts that the sources offer, sorted; registries do not say. Rejects with `KK_CHART`. */
export async function chartNames(sources: readonly ChartSource[], finding: ChartFinding): Promise<string[]> {
  const names = new Set<string>()
  for (const source of sources) for (const name of await namesIn(source, finding)) names.add(name)
  return [...names].sort()
}

async function firstWith(
  wanted: WantedChart,
  sources: readonly ChartSource[],
  finding: ChartFinding,
): Promise<Chart | undefined> {
  for (const source of sources) {
    const chart = await findIn(source, wanted, finding)
    if (chart) return chart
  }
  return undefined
}

async function findIn(
  source: ChartSource,
  wanted: WantedChart,
  {builtIn, cache, packages}: ChartFinding,
): Promise<Chart | undefined> {
  const packageCache = join(cache, 'charts')
  if (source.kind === 'directory') return findInDirectory(source.path, wanted, packageCache)
  if (source.kind === 'built-in') return findInDirectory(await builtIn(), wanted, packageCache)
  return findInRemote(source, wanted, {cache: packageCache, packages})
}

async function namesIn(source: ChartSource, {builtIn, packages}: ChartFinding): Promise<readonly string[]> {
  if (source.kind === 'directory') return namesInDirectory(source.path)
  if (source.kind === 'built-in') return namesInDirectory(await builtIn())
  return packages.names(source)
}

async function notFound(
  {name, version}: WantedChart,
  sources: readonly ChartSource[],
  finding: ChartFinding,
): Promise<KkError> {
  const places = sources.map(describe).join(', ') || 'nowhere: kk.charts is empty'
  const what = version === undefined ? name : `${name} in a version ${version}`
  const close = suggest(name, await chartNames(sources, finding))
  const hint =
    close === undefined || close === name
      ? 'add the directory or repository that has it to kk.charts'
      : `did you mean ${close}?`
  return new KkError('KK_CHART_NOT_FOUND', `no source of charts has ${what}; looked in ${places}`, {hint})
}

function describe(source: ChartSource): string {
  if (source.kind === 'built-in') return "kk's own charts"
  return source.kind === 'directory' ? source.path : withoutCredentials(source.url)
}
