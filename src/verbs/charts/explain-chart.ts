import {existsSync} from 'node:fs'
import {basename, dirname, join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {mergeValues} from '../../base/merge.ts'
import type {Chart} from '../../charts/chart.ts'
import {type Component, componentsOf} from '../../charts/components-of.ts'
import {defaultValues} from '../../charts/default-values.ts'
import {namesInDirectory} from '../../charts/directory.ts'
import {type ChartFinding, chartNames, findChart} from '../../charts/find-chart.ts'
import {unpackPackage} from '../../charts/package-cache.ts'
import {readChart} from '../../charts/read-chart.ts'
import {satisfiesConstraint} from '../../charts/version.ts'
import type {ChartSource, Environment} from '../../environment/environment.ts'

interface ExplainChartOptions {
  /**
   * A directory with a `Chart.yaml`, a package, the location of a published chart (its address, or
   * DIRECTORY/NAME), or the name of a release of the environment; without an environment, the name of one of
   * kk's charts.
   */
  readonly chart: string
  /** The version of a published chart; defaults to the newest. */
  readonly version?: string | undefined
  /** The file of public keys; a published chart must be signed with one of them. */
  readonly keyring?: string | undefined
  /** The environment whose charts and values apply; undefined for a chart directory without one. */
  readonly environment: Environment | undefined
  readonly finding: ChartFinding
}

export interface ExplainedChart {
  readonly chart: string
  readonly version: string
  readonly directory: string
  /** The name of the environment, if its section has the values. */
  readonly environment?: string
  readonly components: readonly Component[]
}

/**
 * Returns what a chart requires according to its values, without rendering it: by component, with the value
 * that enables it. Throws `KK_CHART_NOT_FOUND`, and `KK_PROVENANCE` if a published chart is not signed by a
 * key of the keyring.
 */
export async function explainChart(options: ExplainChartOptions): Promise<ExplainedChart> {
  const {environment, version} = options
  const {chart, release, names, isPublished} = await findExplained(options)
  if (!isPublished && version !== undefined && !satisfiesConstraint(chart.version, version))
    throw new KkError(
      'KK_CHART_NOT_FOUND',
      `${chart.origin} has version ${chart.version}, which does not match ${version}`,
      {hint: 'other versions are available from published charts: oci://…, https://…, DIRECTORY/NAME'},
    )
  const section = environment?.sections.get(release)
  return {
    chart: chart.name,
    version: chart.version,
    directory: chart.directory,
    ...(section && environment && {environment: environment.name}),
    components: [
      ...statedComponents(chart),
      ...componentsOf({
        values: mergeValues(defaultValues(chart.directory), section ?? {}),
        chart: chart.name,
        names,
      }),
    ],
  }
}

/** Returns the requirements in `Chart.yaml` of kk's charts, which belong to no single component. */
function statedComponents({requires}: Chart): readonly Component[] {
  if (requires.length === 0) return []
  const statedRows = requires.map(({release, kind, optional}) => ({
    kind: optional ? ('soft' as const) : kind,
    what: optional ? 'stated, if it is present' : 'stated',
    chart: release,
  }))
  return [{name: 'Chart.yaml', switches: [], isOn: true, requires: statedRows}]
}

interface FoundChart {
  readonly chart: Chart
  /** The section of an environment for its values. */
  readonly release: string
  /** The names of the charts of the same source, which it may require. */
  readonly names: readonly string[]
  /** Set if it was searched in the requested version. */
  readonly isPublished?: true
}

async function findExplained({
  chart: address,
  version,
  keyring,
  environment,
  finding,
}: ExplainChartOptions): Promise<FoundChart> {
  if (keyring !== undefined && !ADDRESS.test(address))
    throw new KkError('KK_USAGE', '--verify is for published charts: oci://… or https://…', {
      hint: 'packages that an environment takes are verified by keyring in its kk.charts',
    })
  if (existsSync(join(address, 'Chart.yaml'))) {
    const chart = readChart(resolve(address))
    return {chart, release: basename(resolve(address)), names: namesInDirectory(dirname(chart.directory))}
  }
  if (address.endsWith('.tgz') && existsSync(address)) {
    const {directory} = await unpackPackage(address, join(finding.cache, 'charts'))
    const chart = readChart(directory, {origin: address})
    return {chart, release: chart.name, names: namesInDirectory(dirname(resolve(address)))}
  }
  const published = publishedAt(address, keyring)
  if (published) {
    const {name, sources} = published
    const chart = await findChart({name, ...(version !== undefined && {version})}, sources, finding)
    return {chart, release: name, names: await chartNames(sources, finding), isPublished: true}
  }
  const charts = environment?.charts ?? OWN
  const names = await chartNames(charts, finding)
  if (!environment && !names.includes(address))
    throw new KkError(
      'KK_CHART_NOT_FOUND',
      `${address} is neither a chart of kk nor a directory with a Chart.yaml`,
      {
        hint: 'name one that kk charts search lists, a directory or package, the location of a published chart (oci://…, https://…, DIRECTORY/NAME) or, with -e FILE, a release of that environment',
      },
    )
  return {chart: await releaseChart(address, environment, finding), release: address, names}
}

const OWN = [{kind: 'built-in'}] as const

const ADDRESS = /^(?<url>(?:oci|https?):\/\/.+)\/(?<name>[^/]+)\/*$/

interface Published {
  readonly name: string
  readonly sources: readonly ChartSource[]
}

/**
 * Returns the chart of an address, or of `DIRECTORY/NAME` if the directory has packages or an index by `kk
 * charts publish`.
 */
function publishedAt(address: string, keyring: string | undefined): Published | undefined {
  const {url, name} = ADDRESS.exec(address)?.groups ?? {}
  if (url !== undefined && name !== undefined) {
    const source = address.startsWith('oci:')
      ? ({kind: 'oci', url: address} as const)
      : ({kind: 'repository', url} as const)
    return {name, sources: [{...source, ...(keyring !== undefined && {keyring})}]}
  }
  const path = resolve(dirname(address))
  const chart = basename(address)
  if (!address.includes('/')) return undefined
  if (!existsSync(join(path, 'index.yaml')) && !namesInDirectory(path).includes(chart)) return undefined
  return {name: chart, sources: [{kind: 'directory', path}]}
}

async function releaseChart(
  name: string,
  environment: Environment | undefined,
  finding: ChartFinding,
): Promise<Chart> {
  const settings = environment?.releases.get(name)
  const wanted = {
    name: settings?.chart ?? name,
    ...(settings?.version !== undefined && {version: settings.version}),
  }
  return findChart(wanted, environment?.charts ?? OWN, finding)
}
