import {existsSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import type {Chart} from '../../charts/chart.ts'
import {readDialectChart} from '../../charts/dialect.ts'
import {type ChartFinding, chartNames, findChart} from '../../charts/find-chart.ts'
import {type PackedChart, packChart, readPacked} from '../../charts/publishing/pack-chart.ts'
import {type PackagePage, packagePage} from '../../charts/publishing/package-page.ts'
import {readChart} from '../../charts/read-chart.ts'
import {isExactVersion} from '../../charts/version.ts'
import {accountSecrets} from '../../overrides/system/accounts.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'

export interface PackOptions {
  /**
   * Directories with a `Chart.yaml`, packages, and names of kk's own charts; empty for all of kk's charts.
   */
  readonly charts: readonly string[]
  /** The version of each new package; defaults to that of its chart. */
  readonly version: string | undefined
  readonly finding: ChartFinding
}

/** The written package of a chart. */
export interface ChartPackage {
  readonly name: string
  readonly version: string
  readonly path: string
  /** The digest of the package, as `sha256:…`. */
  readonly digest: string
  readonly signed: boolean
}

interface PackageOptions extends PackOptions {
  /** The directory to write to. */
  readonly directory: string
  /** Signs each package; without it, an existing package keeps its provenance. */
  readonly sign?: ((packed: PackedChart) => Promise<PackedChart>) | undefined
}

/**
 * Writes the packages of charts into a directory, each with its provenance file if it is signed. Rejects with
 * `KK_CHART_NOT_FOUND`, `KK_CHART`, `KK_USAGE` and `KK_SIGNING`.
 */
export async function packageCharts({
  sign = async (packed) => packed,
  ...options
}: PackageOptions): Promise<readonly ChartPackage[]> {
  const packed: PackedChart[] = []
  for (const each of await packCharts(options)) packed.push(await sign(each))
  const written: ChartPackage[] = []
  for (const {name, version, file, bytes, digest, provenance} of packed) {
    const path = join(options.directory, file)
    await writeAtomically(path, bytes)
    if (provenance !== undefined) await writeAtomically(`${path}.prov`, provenance)
    written.push({name, version, path, digest: `sha256:${digest}`, signed: provenance !== undefined})
  }
  return written
}

/** Packs charts, one after the other; nothing is written. Rejects as `packageCharts` does. */
export async function packCharts({charts, version, finding}: PackOptions): Promise<readonly PackedChart[]> {
  if (version !== undefined && !isExactVersion(version))
    throw new KkError('KK_USAGE', `expected a version such as 1.2.3, found ${JSON.stringify(version)}`, {
      hint: 'see https://semver.org',
    })
  const pack = (chart: Chart) => packChart(chart, {version, page: chartPage(chart)})
  const packed: PackedChart[] = []
  if (charts.length === 0) for (const chart of await ownCharts(finding)) packed.push(await pack(chart))
  for (const word of new Set(charts)) {
    const isPackage = word.endsWith('.tgz')
    if (isPackage && version !== undefined)
      throw new KkError('KK_USAGE', `${word} already has a version, and --version specifies another one`, {
        hint: 'name the directory of the chart to pack it in another version',
      })
    packed.push(isPackage ? await readPackage(word) : await pack(await loadChart(word, finding)))
  }
  return unique(packed)
}

/**
 * Returns each package once. Throws `KK_USAGE` for two of the same name and version with different content.
 */
function unique(packages: readonly PackedChart[]): readonly PackedChart[] {
  const files = new Map<string, PackedChart>()
  for (const packed of packages) {
    const {file, digest} = packed
    const other = files.get(file) ?? packed
    if (other.digest !== digest)
      throw new KkError('KK_USAGE', `two of the charts are ${file}, with different content`, {
        hint: 'omit one of them, or raise the version of one in its Chart.yaml',
      })
    files.set(file, packed)
  }
  return [...files.values()]
}

/**
 * Reads the file of a package, with its provenance file, if there is one. Rejects as `readPacked`, and with
 * Node's own error.
 */
export async function readPackage(file: string): Promise<PackedChart> {
  const provenance = `${file}.prov`
  return readPacked(
    await readFile(file),
    file,
    existsSync(provenance) ? await readFile(provenance, 'utf8') : undefined,
  )
}

/** Returns the page that a package of the chart gets. Only charts in kk's dialect have one. */
export function chartPage(chart: Chart): PackagePage | undefined {
  const spoken = readDialectChart(chart)
  if (spoken.dialect !== 'kk') return undefined
  const secrets = accountSecrets(spoken).map(({path}) => path.join('.'))
  return packagePage(chart, secrets)
}

const OWN = [{kind: 'built-in'}] as const

/** Returns kk's charts without libraries, which the other charts contain. */
async function ownCharts(finding: ChartFinding): Promise<Chart[]> {
  const directory = await finding.builtIn()
  const charts = (await chartNames(OWN, finding)).map((name) => readChart(join(directory, name)))
  return charts.filter(({type}) => type === 'application')
}

async function loadChart(word: string, finding: ChartFinding): Promise<Chart> {
  if (existsSync(join(word, 'Chart.yaml'))) return readChart(resolve(word))
  const names = await chartNames(OWN, finding)
  if (names.includes(word)) return findChart({name: word}, OWN, finding)
  const close = suggest(word, names)
  throw new KkError(
    'KK_CHART_NOT_FOUND',
    `${word} is neither a chart of kk nor a directory with a Chart.yaml`,
    {hint: close === undefined ? 'kk charts search lists the charts of kk' : `did you mean ${close}?`},
  )
}
