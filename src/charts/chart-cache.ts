import {hash} from 'node:crypto'
import {type BigIntStats, lstatSync, readdirSync, readFileSync, statSync} from 'node:fs'
import {readdir, rm, stat} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import {memoize, once, oncePerObject} from '../base/once.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'
import type {Chart, KnownChart, Library} from './chart.ts'
import {readChartYaml} from './chart-yaml.ts'
import {knownOf} from './known-chart.ts'

/** Caches the facts of charts in directories, as long as their files do not change. */
export interface ChartCache {
  /**
   * Returns a chart with its known facts; undefined if it has changed, or was never cached. Opens none of its
   * files.
   */
  find(directory: string): Chart | undefined
  /**
   * Caches a chart that was read since this cache was opened. Resolves with it, and with its facts if it is
   * cached.
   */
  keep(chart: Chart): Promise<Chart>
}

interface KeptOptions {
  /** The earliest time at which charts were read, in milliseconds since the epoch; now by default. */
  readonly openedAt?: number
  /** kk's cache directory. */
  readonly cache: string
  /** The build of kk: another one may derive other facts. */
  readonly build: string
}

interface Entry {
  /** The state of the chart's own files, from `stateOf`. */
  readonly state: string
  readonly chart: Omit<Chart, 'libraries'>
  readonly known: KnownChart
  readonly libraries: readonly {readonly directory: string; readonly digest: string}[]
}

/**
 * Files that changed since, or shortly before, may change again within one tick of the file system's clock.
 */
const RACY_MILLISECONDS = 3000
const KEPT_MILLISECONDS = 30 * 24 * 3600 * 1000

/**
 * Opens the cache of facts of charts. Like git, it compares the stat data of files, and skips files that
 * changed so recently that a further change might not be visible in it. Entries older than 30 days are
 * removed on a write.
 */
export function openChartCache({cache, build, openedAt = Date.now()}: KeptOptions): ChartCache {
  const folder = join(cache, 'known-charts')
  const entryFile = (kind: 'chart' | 'library', directory: string) => {
    const key = [build, kind, directory, resolve(directory)].join('\0')
    return join(folder, `${hash('sha256', key)}.json`)
  }
  const stateIn = memoize(stateOf)
  const findAs = (kind: 'chart' | 'library', directory: string): Chart | undefined => {
    const entry = readEntry(entryFile(kind, directory))
    if (!entry || entry.state !== stateIn(directory)?.digest) return undefined
    const libraries = entry.libraries.map((each) => {
      const library = libraryIn(each.directory)
      return library?.known?.digest === each.digest ? library : undefined
    })
    if (!libraries.every((each) => each !== undefined)) return undefined
    return {...entry.chart, known: entry.known, libraries}
  }
  const libraryIn = memoize((directory: string): Library | undefined => findAs('library', directory))

  const keepAs = async <Kind extends Library>(kind: 'chart' | 'library', read: Kind): Promise<Kind> => {
    const libraries = await Promise.all(read.libraries.map(keepLibrary))
    const state = stateIn(read.directory)
    const isSettled = state && state.newest < BigInt(Math.trunc(openedAt - RACY_MILLISECONDS)) * 1_000_000n
    if (!isSettled || !isClosed(read) || !libraries.every(({known}) => known)) return read
    const {libraries: _, known: __, ...chart} = read
    const known = read.known ?? (await knownOf({...read, libraries}).catch(() => undefined))
    if (!known) return read
    const entry = {
      ...{state: state.digest, chart, known},
      libraries: libraries.map(({directory, known}) => ({directory, digest: known!.digest})),
    }
    const text = JSON.stringify(entry)
    // JSON cannot represent infinite or large numbers.
    if (!isDeepStrictEqual(JSON.parse(text), entry)) return read
    await writeAtomically(entryFile(kind, read.directory), text, {mode: 0o600})
    return {...read, libraries, known}
  }
  // A command has one object for each directory of a library.
  const keepLibrary = oncePerObject(
    async (library: Library): Promise<Library> => libraryIn(library.directory) ?? keepAs('library', library),
  )
  const tidy = once(() => removeOld(folder).catch(() => undefined))
  return {
    find: (directory) => findAs('chart', directory),
    async keep(chart) {
      // A chart that cannot be cached is read again the next time.
      const cached = await keepAs('chart', chart).catch(() => chart)
      await tidy()
      return cached
    },
  }
}

function readEntry(file: string): Entry | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Entry
  } catch {
    return undefined
  }
}

interface State {
  readonly digest: string
  /** The time of the last change in it, in nanoseconds since the epoch. */
  readonly newest: bigint
}

/**
 * Returns the state of all files and directories below a directory, by their stat data; undefined if there is
 * a link among them, because its target may change unnoticed.
 */
function stateOf(directory: string): State | undefined {
  const lines: string[] = []
  let newest = 0n
  const add = (path: string, stats: BigIntStats): boolean => {
    const {dev, ino, mode, size, mtimeNs, ctimeNs} = stats
    if (mtimeNs > newest) newest = mtimeNs
    if (ctimeNs > newest) newest = ctimeNs
    lines.push(`${path}\0${dev} ${ino} ${mode} ${size} ${mtimeNs} ${ctimeNs}`)
    if (!stats.isDirectory()) return stats.isFile()
    return readdirSync(path)
      .sort()
      .every((name) => add(`${path}/${name}`, lstatSync(`${path}/${name}`, {bigint: true})))
  }
  try {
    if (!add(directory, statSync(directory, {bigint: true}))) return undefined
  } catch {
    return undefined
  }
  return {digest: hash('sha256', lines.join('\n')), newest}
}

/**
 * Returns true if a chart depends on no neighbouring directory except its libraries: a missing one may appear
 * later.
 */
function isClosed({directory, libraries, ...chart}: Library): boolean {
  if ('packageDigest' in chart) return true
  const local = readChartYaml(directory).dependencies.filter(({repository}) =>
    repository.startsWith('file://'),
  )
  return local.length === libraries.length
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    if ((await stat(file)).mtimeMs < Date.now() - KEPT_MILLISECONDS) await rm(file, {force: true})
  }
}
