import type {Values} from '../../release.ts'
import {blockYaml} from './overrides-yaml.ts'

/** The overrides of one chart in one namespace, to be written in a foreign format. */
export interface ChartOverrides {
  readonly name: string
  readonly namespace: string
  readonly values: Values
}

export const ARMADA_CHART = 'armada/Chart/v1'
const ARMADA_METADATA = 'metadata/Document/v1'

/** How the chart documents of a manifest are named: `openstack-rabbitmq`. */
export function armadaName({name, namespace}: Pick<ChartOverrides, 'name' | 'namespace'>): string {
  return `${namespace}-${name}`
}

/**
 * Override documents for `armada apply MANIFEST --values FILE`, one for each chart, as one stream. Such a document says
 * nothing but values; Armada lays it over the chart document of the same schema and name.
 */
export function armadaStream(charts: readonly ChartOverrides[]): string {
  return charts.map(armadaDocument).join('')
}

function armadaDocument(chart: ChartOverrides): string {
  const metadata = {schema: ARMADA_METADATA, name: armadaName(chart)}
  const header = `---\nschema: ${ARMADA_CHART}\n${blockYaml({metadata})}`
  return header + blockYaml({data: {values: chart.values}})
}

/** What `helm --values` takes: the overrides alone. */
export function helmValues({values}: Pick<ChartOverrides, 'values'>): string {
  return blockYaml(values) || '{}\n'
}
