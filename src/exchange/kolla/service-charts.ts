import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {isMap, type Values} from '../../base/values.ts'
import {readChart} from '../../charts/read-chart.ts'
import {readValuesFile} from '../../overrides/values-file.ts'

/** A chart of a service that is built of facts, as kk's own are. */
export interface ServiceChart {
  readonly name: string
  /** It holds data, and starts in a way of its own. */
  readonly isProtected: boolean
  readonly components: readonly Component[]
  readonly files: readonly ChartFile[]
  /** Options that the chart hands to its jobs, by file, section and name. */
  readonly options: readonly (readonly string[])[]
}

export interface Component {
  readonly name: string
  /** Directories of kolla's that are this component: `glance-api`, and `glance` where there is but one. */
  readonly containers: readonly string[]
  /** Paths that are mounted to be read only. */
  readonly readOnly: readonly string[]
}

/** A configuration file of the chart. */
export interface ChartFile {
  /** Of `conf`. */
  readonly key: string
  readonly path: string
  /** The last part of its path. */
  readonly name: string
  readonly format: string
}

/** The charts of a directory that have components, by name. Rejects with `KK_FILE`, `KK_YAML` and `KK_CHART`. */
export async function readServiceCharts(directory: string): Promise<readonly ServiceChart[]> {
  const entries = await readdir(directory, {withFileTypes: true})
  const names = entries.filter((entry) => entry.isDirectory() && entry.name !== 'values_overrides')
  const charts = await Promise.all(names.map(({name}) => readServiceChart(join(directory, name), name)))
  return charts.filter(({components}) => components.length > 0).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the charts that do the work of kolla's containers, by the names of these: `placement-api`. */
export function containersOf(charts: readonly ServiceChart[]): ReadonlyMap<string, string> {
  return new Map(
    charts.flatMap(({name, components}) =>
      components.flatMap(({containers}) => containers.map((container) => [container, name] as const)),
    ),
  )
}

/** Containers that kolla calls otherwise than the chart does. */
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

/** `{option: keystone.fernet_tokens.max_active_keys}`, wherever it stands. */
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
