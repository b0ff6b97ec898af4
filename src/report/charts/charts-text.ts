import type {Component} from '../../charts/components-of.ts'
import type {ChartFault} from '../../doctor/charts/chart-fault.ts'
import {releaseName} from '../../release.ts'
import type {AttachedSbom} from '../../verbs/charts/attach-sboms.ts'
import type {ExplainedChart} from '../../verbs/charts/explain-chart.ts'
import type {ChartsIndexed} from '../../verbs/charts/index-charts.ts'
import type {ChartPackage} from '../../verbs/charts/package-charts.ts'
import type {PublishedChart} from '../../verbs/charts/publish-charts.ts'
import type {OfferedChart} from '../../verbs/charts/search-charts.ts'
import type {Palette} from '../colour.ts'
import {doctorText} from '../doctor-text.ts'
import {table} from '../table.ts'
import {counted} from '../text/list.ts'

/**
 * Returns the text of what each component of a chart waits for: `compute_ironic, off
 * (manifests.statefulset_compute_ironic)`.
 */
export function explainedChartText(
  {chart, version, environment, components}: ExplainedChart,
  palette: Palette,
): string {
  const values = environment === undefined ? 'its default values' : `the values of ${environment}`
  const title = `${palette.strong(`${chart} ${version}`)} with ${values}`
  if (components.length === 0) return `${title} says nothing of requirements\n`
  const lines = components.flatMap((component) => [
    `  ${componentTitle(component, palette)}`,
    ...table(
      component.requires.map(({kind, what, chart: provider}) => [
        what,
        provider === undefined ? '' : palette.accent(`→ ${provider}`),
        kind === 'soft' ? palette.quiet('not waited for') : '',
      ]),
      {indent: '    '},
    ),
  ])
  return `${[title, ...lines].join('\n')}\n`
}

function componentTitle({name, isOn, switches}: Component, palette: Palette): string {
  const keys = switches.map((key) => `manifests.${key}`).join(', ')
  const state = isOn ? 'on' : 'off'
  return switches.length === 0
    ? palette.strong(name)
    : `${palette.strong(name)}, ${state} ${palette.quiet(`(${keys})`)}`
}

/** Returns the faults of charts as text, each with its release and the file of the chart. */
export function chartFaultsText(faults: readonly ChartFault[], palette: Palette): string {
  if (faults.length === 0) return 'nothing is wrong with the charts\n'
  return doctorText(faults.map(placed), palette)
}

function placed({release, file, key: _, other: __, what, ...fault}: ChartFault) {
  const place = file === undefined || what.includes(file) ? '' : ` (${file})`
  const name = releaseName(release)
  // A message of helm about a chart begins with the release already, and a message about several releases with the
  // first of them.
  const isNamed = what.startsWith(`${name}: `) || what.startsWith(`${name} and `)
  return {...fault, what: `${isNamed ? '' : `${name}: `}${what}${place}`}
}

/** Returns what a directory of charts provides, one line for each chart. */
export function indexText({directory, charts, failed}: ChartsIndexed, palette: Palette): string {
  const rows = charts.map(({name, version, provides, kinds}) => [
    name,
    palette.quiet(version),
    counted(provides, 'object'),
    kinds === 0 ? '' : counted(kinds, 'custom kind'),
  ])
  const lines = [
    ...table(rows, {indent: '  '}),
    ...failed.map(({name, message}) => `  ${palette.change('!')} ${name} is left out: ${message}`),
    `${palette.strong('indexed')} ${counted(charts.length, 'chart')} of ${directory}`,
  ]
  return `${lines.join('\n')}\n`
}

/** Returns the packages that were written, one line for each. */
export function packagesText(packages: readonly ChartPackage[], palette: Palette): string {
  const rows = packages.map(({name, version, path, signed}) => [
    name,
    palette.quiet(version),
    path,
    signed ? 'signed' : '',
  ])
  return `${table(rows).join('\n')}\n`
}

/** Returns the charts that sources offer, one line for each version; with where they are when that is not one place. */
export function offeredChartsText(charts: readonly OfferedChart[], palette: Palette): string {
  if (charts.length === 0) return 'no chart is like that\n'
  const isOnePlace = new Set(charts.map(({from}) => from)).size === 1
  const rows = charts.map(({name, version, appVersion, description, from}) => [
    palette.strong(name),
    version,
    palette.quiet(appVersion),
    description,
    isOnePlace ? '' : palette.quiet(from),
  ])
  return `${table(rows).join('\n')}\n`
}

const STATES = {new: 'new', there: 'already there', unsigned: 'there, and gets its provenance'} as const

/** Returns what is published, one line for each chart. */
export function publishText(
  charts: readonly PublishedChart[],
  destination: string,
  sboms: readonly AttachedSbom[],
): string {
  const rows = charts.map(({packed, state}) => [packed.name, packed.version, STATES[state]])
  const added = charts.filter(({state}) => state === 'new').length
  const attached = sboms.filter(({state}) => state === 'new').length
  const sums = [
    `${counted(added, 'new chart')} for ${destination}`,
    ...(sboms.length > 0 ? [counted(attached, 'new SBOM')] : []),
  ]
  return `${[...table(rows, {indent: '  '}), ...sums].join('\n')}\n`
}

/** The same for `--output json|yaml`. */
export function publishDocument(
  charts: readonly PublishedChart[],
  destination: string,
  sboms: readonly AttachedSbom[],
) {
  return {
    destination,
    charts: charts.map(({packed: {name, version, digest}, state}, at) => ({
      name,
      version,
      digest: `sha256:${digest}`,
      state,
      ...(sboms[at] && {sbom: sboms[at].state}),
    })),
  }
}
