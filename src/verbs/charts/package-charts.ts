import {existsSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import type {Chart} from '../../charts/chart.ts'
import {spokenChart} from '../../charts/dialect.ts'
import {type ChartFinding, chartNames, findChart} from '../../charts/find-chart.ts'
import {type PackedChart, packChart, readPacked} from '../../charts/publishing/pack-chart.ts'
import {type PackagePage, packagePage} from '../../charts/publishing/package-page.ts'
import {readChart} from '../../charts/read-chart.ts'
import {isExactVersion} from '../../charts/version.ts'
import {accountSecrets} from '../../overrides/system/accounts.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'

export interface PackOptions {
  /** Directories with a `Chart.yaml`, packages, and names of kk's own charts; none for all of these. */
  readonly charts: readonly string[]
  /** The version of each package that is made; by default that of its chart. */
  readonly version: string | undefined
  readonly finding: ChartFinding
}

/** What was written of a chart. */
export interface ChartPackage {
  readonly name: string
  readonly version: string
  readonly path: string
  /** `sha256:…`, of the package. */
  readonly digest: string
  readonly signed: boolean
}

interface PackageOptions extends PackOptions {
  /** Where to write to. */
  readonly directory: string
  /** Signs each package; without it, what signs a package that there is stays with it. */
  readonly sign?: ((packed: PackedChart) => Promise<PackedChart>) | undefined
}

/**
 * Writes the packages of charts into a directory, each with its provenance beside it where it is signed. Rejects with
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
  const pack = (chart: Chart) => packChart(chart, {version, page: pageOf(chart)})
  const packed: PackedChart[] = []
  if (charts.length === 0) for (const chart of await ownCharts(finding)) packed.push(await pack(chart))
  for (const word of new Set(charts)) {
    const isPackage = word.endsWith('.tgz')
    if (isPackage && version !== undefined)
      throw new KkError('KK_USAGE', `${word} has its version inside, and --version says another one`, {
        hint: 'name the directory of the chart to pack it in another version',
      })
    packed.push(isPackage ? await readPackage(word) : await pack(await chartOf(word, finding)))
  }
  return unique(packed)
}

/** Returns each package once. Throws `KK_USAGE` for two of one name and version that are not the same: one would take the other's place. */
function unique(packages: readonly PackedChart[]): readonly PackedChart[] {
  const files = new Map<string, PackedChart>()
  for (const packed of packages) {
    const {file, digest} = packed
    const other = files.get(file) ?? packed
    if (other.digest !== digest)
      throw new KkError('KK_USAGE', `two of the charts are ${file}, with different content`, {
        hint: 'leave one of them out, or raise the version of one in its Chart.yaml',
      })
    files.set(file, packed)
  }
  return [...files.values()]
}

/** Reads the file of a package, with its provenance where that lies beside it. Rejects as `readPacked`, and with Node's own error. */
export async function readPackage(file: string): Promise<PackedChart> {
  const provenance = `${file}.prov`
  return readPacked(
    await readFile(file),
    file,
    existsSync(provenance) ? await readFile(provenance, 'utf8') : undefined,
  )
}

/** Returns the page that a package of the chart gets. The facts are those of kk's dialect: of other charts nothing is made. */
export function pageOf(chart: Chart): PackagePage | undefined {
  const spoken = spokenChart(chart)
  if (spoken.dialect !== 'kk') return undefined
  const secrets = accountSecrets(spoken).map(({path}) => path.join('.'))
  return packagePage(chart, secrets)
}

const OWN = [{kind: 'built-in'}] as const

/** Libraries are left out: they are inside of the others. */
async function ownCharts(finding: ChartFinding): Promise<Chart[]> {
  const directory = await finding.builtIn()
  const charts = (await chartNames(OWN, finding)).map((name) => readChart(join(directory, name)))
  return charts.filter(({type}) => type === 'application')
}

async function chartOf(word: string, finding: ChartFinding): Promise<Chart> {
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
