import type {Component} from '../../charts/values-method/component.ts'
import type {ExplainedChart} from '../../verbs/charts/explain-chart.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'

/** What each component of a chart waits for: `compute_ironic, off (manifests.statefulset_compute_ironic)`. */
export function explainedChartText(
  {chart, version, environment, components}: ExplainedChart,
  palette: Palette,
): string {
  const values = environment === undefined ? 'its default values' : `the values of ${environment}`
  const title = `${palette.strong(`${chart} ${version}`)} with ${values}`
  if (components.length === 0) return `${title} says nothing of requirements in its values\n`
  const lines = components.flatMap((component) => [
    `  ${componentTitle(component, palette)}`,
    ...table(
      component.requires.map(({kind, what, chart: provider}) => [
        what,
        provider === undefined ? '' : palette.accent(`→ ${provider}`),
        kind === 'ready' ? '' : palette.quiet('not waited for'),
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
