import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {isMap, type Values} from '../../base/values.ts'
import {readChart} from '../../charts/read-chart.ts'
import {readValuesFile} from '../../overrides/values-file.ts'

/** A chart of a service that is defined by data in its values, as kk's own charts are. */
export interface ServiceChart {
  readonly name: string
  /** True for a chart that holds data, and starts in its own way. */
  readonly isProtected: boolean
  readonly components: readonly Component[]
  readonly files: readonly ChartFile[]
  /** Options that the chart passes to its jobs, as file, section and name. */
  readonly options: readonly (readonly string[])[]
}

export interface Component {
  readonly name: string
  /** kolla's directories for this component: `glance-api`, and `glance` if it is the only component. */
  readonly containers: readonly string[]
  /** Paths that are mounted read-only. */
  readonly readOnly: readonly string[]
}

/** A configuration file of the chart. */
export interface ChartFile {
  /** The key in `conf`. */
  readonly key: string
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  readonly format: string
}

/**
 * Returns the charts of a directory that have components, by name. Rejects with `KK_FILE`, `KK_YAML` and
 * `KK_CHART`.
 */
export async function readServiceCharts(directory: string): Promise<readonly ServiceChart[]> {
  const entries = await readdir(directory, {withFileTypes: true})
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'values_overrides')
  const charts = await Promise.all(names.map(({name}) => readServiceChart(join(directory, name), name)))
  return charts.filter(({components}) => components.length > 0).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the charts that replace kolla's containers, by container name: `placement-api`. */
export function containersOf(charts: readonly ServiceChart[]): ReadonlyMap<string, string> {
  return new Map(
    charts.flatMap(({name, components}) =>
      components.flatMap(({containers}) => containers.map((container) => [container, name] as const)),
    ),
  )
}

/** Containers that kolla names differently than the chart. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {'heat-cfn': ['heat-api-cfn']}

async function readServiceChart(directory: string, name: string): Promise<ServiceChart> {
  const {values} = await readValuesFile(join(directory, 'values.yaml'))
  const components = mapsIn(values.components)
  return {
    name,
    isProtected: readChart(directory).protected,
    components: components.map(([component, {volumes}]) => ({
      name: component,
      containers: [
        `${name}-${component}`,
        ...(components.length === 1 ? [name] : []),
        ...(OTHER_NAMES[`${name}-${component}`] ?? []),
      ],
      readOnly: mapsIn(volumes).flatMap(([, {path, readOnly}]) => (readOnly === true ? [String(path)] : [])),
    })),
    files: mapsIn(values.files).flatMap(([key, {path, format}]) =>
      typeof path === 'string'
        ? [{key, path, name: path.slice(path.lastIndexOf('/') + 1), format: String(format ?? 'oslo')}]
        : [],
    ),
    options: referredOptions(values),
  }
}

/**
 * Returns `keystone.fernet_tokens.max_active_keys` of each `{option:
 * keystone.fernet_tokens.max_active_keys}`, split.
 */
function referredOptions(value: unknown): readonly (readonly string[])[] {
  if (!isMap(value)) return []
  const {option} = value
  if (typeof option === 'string') return [option.split('.')]
  return Object.values(value).flatMap(referredOptions)
}

function mapsIn(value: unknown): readonly (readonly [string, Values])[] {
  return isMap(value)
    ? Object.entries(value).filter((entry): entry is [string, Values] => isMap(entry[1]))
    : []
}
