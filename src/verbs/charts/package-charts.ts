import {existsSync} from 'node:fs'
import {join, resolve} from 'node:path'
import type {Chart} from '../../charts/chart.ts'
import {spokenChart} from '../../charts/dialect.ts'
import {type ChartFinding, chartNames, findChart} from '../../charts/find-chart.ts'
import {type PackedChart, packChart} from '../../charts/pack-chart.ts'
import {type PackagePage, packagePage} from '../../charts/package-page.ts'
import {readChart} from '../../charts/read-chart.ts'
import {isExactVersion} from '../../charts/version.ts'
import {KkError} from '../../errors.ts'
import {accountSecrets} from '../../overrides/system/accounts.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'

export interface PackOptions {
  /** Directories with a `Chart.yaml`, and names of kk's own charts; none for all of these. */
  readonly charts: readonly string[]
  /** The version of each package; by default that of its chart. */
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
}

/** Writes the packages of charts into a directory. Rejects with `KK_CHART_NOT_FOUND`, `KK_CHART` and `KK_USAGE`. */
export async function packageCharts(
  options: PackOptions & {readonly directory: string},
): Promise<readonly ChartPackage[]> {
  const packed = await packCharts(options)
  const written: ChartPackage[] = []
  for (const {name, version, file, bytes, digest} of packed) {
    const path = join(options.directory, file)
    await writeAtomically(path, bytes)
    written.push({name, version, path, digest: `sha256:${digest}`})
  }
  return written
}

/** Packs charts, one after the other; nothing is written. Rejects as `packageCharts` does. */
export async function packCharts({charts, version, finding}: PackOptions): Promise<readonly PackedChart[]> {
  if (version !== undefined && !isExactVersion(version))
    throw new KkError('KK_USAGE', `expected a version such as 1.2.3, found ${JSON.stringify(version)}`, {
      hint: 'see https://semver.org',
    })
  const found = charts.length === 0 ? await ownCharts(finding) : []
  for (const word of new Set(charts)) found.push(await chartOf(word, finding))
  const packed: PackedChart[] = []
  for (const chart of found) packed.push(await packChart(chart, {version, page: pageOf(chart)}))
  return packed
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
  return existsSync(join(word, 'Chart.yaml'))
    ? readChart(resolve(word))
    : findChart({name: word}, OWN, finding)
}
