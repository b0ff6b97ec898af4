import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import {isMap} from '../base/values.ts'
import type {ChartSource, RemoteChartSource} from '../environment/environment.ts'
import {withoutCredentials} from '../helm/package-url.ts'
import type {PackageRequest, Packages} from '../helm/pull.ts'
import {temporaryDirectory} from '../state/files/temporary-directory.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'
import {withWritableDirectory} from '../state/files/writing-below.ts'
import {type Carried, carriedChart, sameChart} from './carried.ts'
import type {Chart} from './chart.ts'
import {
  findInDirectory,
  fits,
  keepChart,
  knownIn,
  namesInDirectory,
  type ReadCharts,
  versionsInDirectory,
  type WantedChart,
} from './directory.ts'
import {cachedPackage, type UnpackedPackage, unpackPackage} from './package-cache.ts'
import {readChart} from './read-chart.ts'
import {compareVersions, isExactVersion, satisfiesConstraint} from './version.ts'

/** The dependencies of searching for charts. */
export interface ChartFinding {
  /** A directory with the charts that kk carries. */
  builtIn(): Promise<string>
  /** Returns the facts of these, for one command; undefined if they must be read. */
  readonly carried?: () => Promise<Carried | undefined>
  /** kk's cache directory; packages are unpacked below its `charts/`. */
  readonly cache: string
  /** The charts that this command has read, because it searches for the same ones repeatedly. */
  readonly read?: ReadCharts
  readonly packages: Packages
}

/**
 * Returns the chart of this name from the first source that has a fitting version. Rejects with
 * `KK_CHART_NOT_FOUND`, which lists the sources and suggests a name, and with `KK_CHART` if a chart or a
 * source cannot be used.
 */
export async function findChart(
  wanted: WantedChart,
  sources: readonly ChartSource[],
  finding: ChartFinding,
): Promise<Chart> {
  const chart = /^[\w.-]+$/.test(wanted.name) ? await firstWith(wanted, sources, finding) : undefined
  if (!chart) throw await notFound(wanted, sources, finding)
  if (chart.type === 'application') return chart
  throw new KkError(
    'KK_CHART',
    `${chart.name} in ${chart.origin} is a library: it can only be part of other charts`,
    {hint: `do not deploy ${chart.name} itself`},
  )
}

/**
 * Returns the names of all charts in the sources, sorted; registries cannot list theirs. Rejects with
 * `KK_CHART`.
 */
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
  {builtIn, carried, cache, packages, read}: ChartFinding,
): Promise<Chart | undefined> {
  const packageCache = join(cache, 'charts')
  if (source.kind === 'directory' || source.kind === 'built-in') {
    const isOwn = source.kind === 'built-in'
    const path = isOwn ? await builtIn() : source.path
    const carriedCharts = await carried?.()
    if (isOwn) {
      const chart = carriedCharts && carriedChart(carriedCharts, wanted, path)
      if (chart) return chart
    } else {
      const chart = knownIn(join(path, wanted.name), read)
      if (chart && fits(chart, wanted)) return chart
      const same = carriedCharts && (await sameChart(carriedCharts, wanted, path))
      if (same) return keepChart(same, read)
    }
    return findInDirectory(path, wanted, {cache: packageCache, read})
  }
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
  const versions = await otherVersions(name, sources, finding)
  if (versions.length > 0) return noFittingVersion({name, what, places}, versions)
  const close = suggest(name, await chartNames(sources, finding))
  const hint =
    close === undefined || close === name
      ? 'add the directory or repository that has it to kk.charts'
      : `did you mean ${close}?`
  return new KkError('KK_CHART_NOT_FOUND', `no source of charts has ${what}; looked in ${places}`, {hint})
}

/** Returns the versions of a chart in the sources, newest first; registries cannot list theirs. */
async function otherVersions(
  name: string,
  sources: readonly ChartSource[],
  {builtIn, packages}: ChartFinding,
): Promise<readonly string[]> {
  const versions: string[] = []
  for (const source of sources) {
    if (source.kind === 'directory') versions.push(...versionsInDirectory(source.path, name))
    else if (source.kind === 'built-in') versions.push(...versionsInDirectory(await builtIn(), name))
    else if (source.kind === 'repository')
      versions.push(...versionsInIndex(await packages.index(source), name))
  }
  return [...new Set(versions)].sort(compareVersions).reverse()
}

function versionsInIndex(index: unknown, name: string): readonly string[] {
  const entries = isMap(index) && isMap(index.entries) ? index.entries[name] : undefined
  const versions = Array.isArray(entries) ? entries.map((entry) => isMap(entry) && entry.version) : []
  return versions.filter((version) => typeof version === 'string')
}

/**
 * Returns the error for a chart that exists only in other versions; a constraint excludes pre-releases that
 * it does not name.
 */
function noFittingVersion(
  {name, what, places}: {readonly name: string; readonly what: string; readonly places: string},
  [newest, ...older]: readonly string[],
): KkError {
  const isPrerelease = [newest!, ...older].every((version) => version.includes('-'))
  const more = older.length === 0 ? '' : ` and ${older.length} older`
  const only = isPrerelease ? `, ${older.length === 0 ? 'a pre-release' : 'all pre-releases'}` : ''
  const state = isPrerelease
    ? `state it: kk.releases.NAME.version: "${newest}", or a constraint that names a pre-release: ">=${newest!.split('-', 1)[0]}-0"`
    : `state an existing version, in kk.releases.NAME.version or in the source: "${newest}"`
  return new KkError(
    'KK_CHART_NOT_FOUND',
    `no source of charts has ${what}, but ${name} ${newest}${more}${only}; looked in ${places}`,
    {hint: state},
  )
}

function describe(source: ChartSource): string {
  if (source.kind === 'built-in') return "kk's own charts"
  return source.kind === 'directory' ? source.path : withoutCredentials(source.url)
}

interface Fetching {
  /** The directory for unpacked packages. */
  readonly cache: string
  readonly packages: Packages
}

/**
 * Returns a chart from a repository or a registry; undefined if that does not have it. A package that is
 * locked by a digest, or was fetched before under an exact version, is not fetched again; with a keyring,
 * only if it was verified with the same one. Rejects with `KK_CHART` if the source cannot be reached, or the
 * package is not the locked one, and with `KK_PROVENANCE`.
 */
async function findInRemote(
  source: RemoteChartSource,
  wanted: WantedChart,
  {cache, packages}: Fetching,
): Promise<Chart | undefined> {
  const version = wanted.version ?? source.version
  const request = {source, name: wanted.name, ...(version !== undefined && {version})}
  const memory = await digestFile(request, cache)
  const digest = await knownDigest(source, memory)
  const cached = digest === undefined ? undefined : cachedPackage(digest, cache)
  if (cached) {
    const chart = readPackage(cached, source)
    // A digest locks one package: this source does not apply to any other chart.
    if (chart.name !== wanted.name) return undefined
    if (version === undefined || satisfiesConstraint(chart.version, version)) return chart
  }

  const unpacked = await fetch(request, packages, cache)
  if (!unpacked) return undefined
  checkDigest(unpacked, request)
  const chart = readPackage(unpacked, source)
  if (chart.name !== wanted.name)
    throw new KkError('KK_CHART', `${chart.origin} gave the chart ${chart.name} for ${wanted.name}`, {
      hint: 'report it to the maintainers of that source',
    })
  const isOne = version !== undefined && isExactVersion(version)
  if (isOne || (source.digest !== undefined && source.keyring !== undefined))
    await withWritableDirectory({directory: cache, variable: 'XDG_CACHE_HOME'}, () =>
      writeAtomically(memory, unpacked.digest),
    )
  return chart
}

function readPackage({directory, digest}: UnpackedPackage, source: RemoteChartSource): Chart {
  return readChart(directory, {origin: withoutCredentials(source.url), packageDigest: digest})
}

async function fetch(
  request: PackageRequest,
  packages: Packages,
  cache: string,
): Promise<UnpackedPackage | undefined> {
  const directory = await temporaryDirectory('kk-chart-')
  try {
    const file = await directory.fill(() => packages.pull(request, directory.path))
    return file === undefined ? undefined : await unpackPackage(file, cache)
  } finally {
    await directory.remove()
  }
}

function checkDigest(
  {digest}: UnpackedPackage,
  {source, name}: PackageRequest & {source: RemoteChartSource},
): void {
  if (source.digest === undefined || sha256Of(source.digest) === digest) return
  const expected = `expected sha256:${sha256Of(source.digest)}, got sha256:${digest}`
  throw new KkError(
    'KK_CHART',
    `the package of ${name} at ${withoutCredentials(source.url)} is not the locked one: ${expected}`,
    {
      hint: 'find out why it changed; if that is well, write the new digest into kk.charts. A digest locks one chart',
    },
  )
}

/**
 * Returns the digest of the package if it is known without fetching it; with a keyring, only if the package
 * was verified.
 */
async function knownDigest(
  {digest, keyring}: RemoteChartSource,
  memory: string,
): Promise<string | undefined> {
  if (digest !== undefined && keyring === undefined) return sha256Of(digest)
  const fetched = await recall(memory)
  return digest === undefined || fetched === sha256Of(digest) ? fetched : undefined
}

/**
 * Returns the file that records which package an exact version was, and with a keyring, that its keys have
 * signed it.
 */
async function digestFile({source, name, version = ''}: PackageRequest, cache: string): Promise<string> {
  const {kind, url, keyring} = source
  const keys = keyring === undefined ? [] : [await readFile(keyring, 'base64')]
  const key = [kind, url, name, version, ...keys].join('\0')
  return join(cache, 'fetched', createHash('sha256').update(key).digest('hex'))
}

async function recall(memory: string): Promise<string | undefined> {
  return readFile(memory, 'utf8').catch(() => undefined)
}

function sha256Of(digest: string): string {
  return digest.replace(/^sha256:/, '').toLowerCase()
}
