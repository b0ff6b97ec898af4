import type {Component} from '../../charts/components-of.ts'
import type {AttachedSbom} from '../../verbs/charts/attach-sboms.ts'
import type {ExplainedChart} from '../../verbs/charts/explain-chart.ts'
import type {ChartsIndexed} from '../../verbs/charts/index-charts.ts'
import type {ChartPackage} from '../../verbs/charts/package-charts.ts'
import type {PublishedChart} from '../../verbs/charts/publish-charts.ts'
import type {OfferedChart} from '../../verbs/charts/search-charts.ts'
import type {Palette} from '../colour.ts'
import {type Columns, list, table} from '../table.ts'
import {counted} from '../text/list.ts'
import type {Part, View} from '../text/view.ts'

/**
 * Returns what each component of a chart waits for: `compute_ironic, off
 * (manifests.statefulset_compute_ironic)`.
 */
export function explainedChartText(
  {chart, version, environment, components}: ExplainedChart,
  palette: Palette,
): View {
  const {accent, quiet} = palette
  const values = environment === undefined ? 'its default values' : `the values of ${environment}`
  const title = `${palette.strong(`${chart} ${version}`)} with ${values}`
  if (components.length === 0) return `${title} says nothing of requirements\n`
  const columns: Columns<Component['requires'][number]> = [
    ({what}) => what,
    ({chart: provider}) => (provider === undefined ? '' : accent(`→ ${provider}`)),
    ({kind}) => (kind === 'soft' ? quiet('not waited for') : ''),
  ]
  const parts = components.flatMap((component): readonly Part[] => [
    `  ${componentTitle(component, palette)}`,
    table(component.requires, columns, {indent: '    '}),
  ])
  return [title, ...parts]
}

function componentTitle({name, isOn, switches}: Component, palette: Palette): string {
  const keys = switches.map((key) => `manifests.${key}`).join(', ')
  const state = isOn ? 'on' : 'off'
  return switches.length === 0
    ? palette.strong(name)
    : `${palette.strong(name)}, ${state} ${palette.quiet(`(${keys})`)}`
}

/** Returns what a directory of charts provides, one row for each chart. */
export function indexText({directory, charts, failed}: ChartsIndexed, palette: Palette): View {
  const shown = list(charts, [
    ({name}) => name,
    ({version}) => palette.quiet(version),
    {cell: ({provides}) => counted(provides, 'object'), whole: true},
    ({kinds}) => (kinds === 0 ? '' : counted(kinds, 'custom kind')),
  ])
  return [
    shown,
    ...failed.map(({name, message}) => `  ${palette.change('!')} ${name} is skipped: ${message}`),
    `${palette.strong('indexed')} ${counted(charts.length, 'chart')} of ${directory}`,
  ]
}

/** Returns the packages that were written, one row for each. */
export function packagesText(packages: readonly ChartPackage[], palette: Palette): View {
  return table(packages, [
    ({name}) => name,
    ({version}) => palette.quiet(version),
    ({path}) => path,
    ({signed}) => (signed ? 'signed' : ''),
  ])
}

/** Returns the charts that sources offer, one row for each version; with the source if there are several. */
export function offeredChartsText(charts: readonly OfferedChart[], palette: Palette): View {
  if (charts.length === 0) return 'no chart is like that\n'
  const isOnePlace = new Set(charts.map(({from}) => from)).size === 1
  return table(charts, [
    ({name}) => palette.strong(name),
    ({version}) => version,
    ({appVersion}) => palette.quiet(appVersion),
    ({description}) => description,
    ...(isOnePlace ? [] : [{cell: ({from}: OfferedChart) => palette.quiet(from)}]),
  ])
}

const STATES = {new: 'new', there: 'already there', unsigned: 'there, and gets its provenance'} as const

/** Returns what is published, one row for each chart. */
export function publishText(
  charts: readonly PublishedChart[],
  destination: string,
  sboms: readonly AttachedSbom[],
): View {
  const shown = list(charts, [
    ({packed}) => packed.name,
    ({packed}) => packed.version,
    ({state}) => STATES[state],
  ])
  const added = charts.filter(({state}) => state === 'new').length
  const attached = sboms.filter(({state}) => state === 'new').length
  const sums = [
    `${counted(added, 'new chart')} for ${destination}`,
    ...(sboms.length > 0 ? [counted(attached, 'new SBOM')] : []),
  ]
  return [shown, ...sums]
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
