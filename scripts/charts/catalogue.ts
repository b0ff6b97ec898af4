import {dump} from 'js-yaml'
import type {OwnChart} from './read-charts.ts'

const CATALOGUE = /^([\s\S]*?define "common\.context\.catalogue" -}}\n)([\s\S]*?)({{- end -}}\s*)$/

/**
 * Returns the source of the catalogue of endpoints with the charts' `serves`, by name. Throws if two
 * charts serve one endpoint.
 */
export function catalogueText(text: string, charts: readonly OwnChart[]): string {
  const [, head = '', body = '', end = ''] = CATALOGUE.exec(text) ?? []
  const entries = new Map<string, {readonly chart: OwnChart; readonly entry: string}>()
  for (const chart of charts) {
    for (const type of endpointsOf(chart)) {
      const other = entries.get(type)
      if (other) throw new Error(`${other.chart.name} and ${chart.name} both serve the endpoint ${type}`)
      const stated = chart.values.serves?.[type]
      if (stated) entries.set(type, {chart, entry: entryOf(chart, type, stated)})
    }
  }
  const made = [...entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, {entry}]) => entry)
  return `${head}${DOMAIN.exec(body)?.[0] ?? ''}${made.join('')}${end}`
}

/** The one entry that is no endpoint. */
const DOMAIN = /^cluster_domain_suffix: .*\n/m

/** Returns the YAML in the source of a catalogue. */
export function catalogueBody(text: string): string {
  return CATALOGUE.exec(text)?.[2] ?? ''
}

/** Returns the names of the endpoints in the source of a catalogue. */
export function endpointsIn(text: string): readonly string[] {
  return [...catalogueBody(text).matchAll(/^(\w+): \{/gm)].map(([, type]) => type!)
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
  return dump({[type]: entry}, {flowLevel: 1, lineWidth: -1})
}
