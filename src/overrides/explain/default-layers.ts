import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import type {Position, Values} from '../../release.ts'
import {readValuesFile} from '../values-file.ts'
import type {ExplainedLayer} from './explain.ts'

export interface DefaultLayers {
  /** From the weakest to the strongest: a chart's own defaults win over those that its subcharts have for themselves. */
  readonly layers: readonly ExplainedLayer[]
  /** Where subcharts have their values: `['common']`, `['web', 'cache']`. */
  readonly subcharts: readonly (readonly string[])[]
}

interface ChartPlace {
  readonly directory: string
  /** For people: where the chart was found. */
  readonly origin: string
  readonly path: readonly string[]
}

/**
 * What an unpacked chart with its subcharts in `charts/` says in its `values.yaml` files. A packed subchart stays
 * unread, and one with an alias is found under its own name: of their keys it is said that Helm made them.
 * Rejects with `KK_FILE`, `KK_YAML`.
 */
export async function defaultLayers(directory: string, origin: string): Promise<DefaultLayers> {
  const layers: ExplainedLayer[] = []
  const subcharts: (readonly string[])[] = []
  const queue: ChartPlace[] = [{directory, origin, path: []}]
  for (const chart of queue) {
    const entries = await readdir(chart.directory, {withFileTypes: true})
    if (chart.path.length > 0) subcharts.push(chart.path)
    if (entries.some(({name}) => name === 'values.yaml')) layers.unshift(await defaultsOf(chart))
    for (const name of await subchartsOf(chart, entries)) {
      queue.push({
        directory: join(chart.directory, 'charts', name),
        origin: join(chart.origin, 'charts', name),
        path: [...chart.path, name],
      })
    }
  }
  return {layers, subcharts}
}

async function subchartsOf(
  {directory}: ChartPlace,
  entries: readonly {readonly name: string}[],
): Promise<readonly string[]> {
  if (!entries.some(({name}) => name === 'charts')) return []
  const inside = await readdir(join(directory, 'charts'), {withFileTypes: true})
  return inside.filter((entry) => entry.isDirectory()).map(({name}) => name)
}

async function defaultsOf({directory, origin, path}: ChartPlace): Promise<ExplainedLayer> {
  const {values, position} = await readValuesFile(join(directory, 'values.yaml'))
  const file = join(origin, 'values.yaml')
  return {
    name: 'defaults',
    source: file,
    values: path.reduceRight<Values>((inner, name) => ({[name]: inner}), values),
    position: (key) => placed(position(key.slice(path.length)), file),
  }
}

/** The copy that is read lies in a directory of the run. */
function placed(position: Position | undefined, file: string): Position | undefined {
  return position && {...position, file}
}
