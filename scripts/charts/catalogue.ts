import {dump} from 'js-yaml'
import type {OwnChart} from './read-charts.ts'

const CATALOGUE = /^([\s\S]*?define "common\.context\.catalogue" -}}\n)([\s\S]*?)({{- end -}}\s*)$/

/**
 * Returns the text of the catalogue of endpoints with what the charts serve. An entry that a chart states (`serves`) says what
 * the chart says, an entry that no chart serves is left out, the others stay as they are, and new ones come last. Throws if
 * two charts serve one endpoint that either of them states.
 */
export function catalogueText(text: string, charts: readonly OwnChart[]): string {
  const [, head = '', body = '', end = ''] = CATALOGUE.exec(text) ?? []
  const entries = new Map(
    body.split(/^(?=\w)/m).map((entry): [string, string] => [entry.slice(0, entry.indexOf(':')), entry]),
  )
  const served = charts.flatMap((chart) => endpointsOf(chart).map((type) => ({chart, type})))
  for (const type of entries.keys()) {
    if (type !== 'cluster_domain_suffix' && !served.some((each) => each.type === type)) entries.delete(type)
  }
  for (const {chart, type} of served) {
    const stated = chart.values.serves?.[type]
    if (!stated) continue
    const other = served.find((each) => each.type === type && each.chart !== chart)
    if (other) throw new Error(`${chart.name} and ${other.chart.name} both serve the endpoint ${type}`)
    entries.set(type, entryOf(chart, type, stated))
  }
  return `${head}${[...entries.values()].join('')}${end}`
}

/** Returns the YAML in the text of a catalogue. */
export function catalogueBody(text: string): string {
  return CATALOGUE.exec(text)?.[2] ?? ''
}

/** Returns the names of the endpoints in the text of a catalogue. */
export function endpointsIn(text: string): readonly string[] {
  return [...catalogueBody(text).matchAll(/^(\w+):$/gm)].map(([, type]) => type!)
}

function endpointsOf({values: {components = {}}}: OwnChart): readonly string[] {
  return Object.values(components).flatMap((component) =>
    typeof component?.['endpoint'] === 'string' ? [component['endpoint']] : [],
  )
}

/** Returns the entry of an endpoint; its host is the Service of the component. */
function entryOf({name, values}: OwnChart, type: string, stated: Readonly<Record<string, unknown>>): string {
  const [component] = Object.entries(values.components ?? {}).find(([, each]) => each?.['endpoint'] === type)!
  const entry = {hosts: {default: `${name}-${component}`}, ...stated}
  return dump({[type]: entry}, {flowLevel: 2, lineWidth: -1})
}
