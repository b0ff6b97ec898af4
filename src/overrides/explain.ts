import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import type {Position} from '../base/position.ts'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import type {Layer, LayerName} from './layer.ts'
import {chartValues} from './values-file.ts'

/** A layer, or the defaults of the chart or of one of its subcharts, which are below all. */
export type ExplainedLayer = Omit<Layer, 'name'> & {readonly name: LayerName | 'defaults'}

/** A value that a layer gives a key. */
export interface Statement {
  readonly layer: ExplainedLayer['name']
  readonly source: string
  readonly position?: Position
  readonly value: unknown
}

/** A key of the final values, with the layers that decide it. */
export interface ExplainedKey {
  readonly path: readonly string[]
  /** The final value; undefined when a null took the key away. Lists are explained as a whole. */
  readonly value: unknown
  /** Undefined where no layer says what the final value is: Helm made it. */
  readonly winner: Statement | undefined
  /** The values of other layers, from the strongest to the weakest. */
  readonly lost: readonly Statement[]
}

/** A key while layers and final values are walked together. */
interface ValueNode {
  readonly path: readonly string[]
  readonly final: unknown
  readonly isFinal: boolean
  /** The values of the layers that have the key, from the strongest to the weakest. */
  readonly stated: readonly LayerValue[]
}

/** The value that one layer has for a key. */
interface LayerValue {
  readonly layer: ExplainedLayer
  readonly value: unknown
  /** Something stronger stands here in place of a map, so what is below this map is lost. */
  readonly isHidden: boolean
}

/**
 * Returns for every key of the final values, and every key that a null took away, the layer that won and those that lost.
 * `layers` go from the weakest to the strongest; `final` is what Helm computed. The keys are in the order of the final values.
 */
export function explain(layers: readonly ExplainedLayer[], final: Values): ExplainedKey[] {
  const stated = layers.toReversed().map((layer) => ({layer, value: layer.values, isHidden: false}))
  const keys: ExplainedKey[] = []
  visit({path: [], final, isFinal: true, stated}, keys)
  return keys.filter(({value, winner}) => value !== undefined || winner?.value === null)
}

function visit(node: ValueNode, keys: ExplainedKey[]): void {
  if (node.path.length > 0 && isLeaf(node)) {
    keys.push(explainKey(node))
    return
  }
  for (const name of childNames(node)) visit(child(node, name), keys)
}

/** Below a null nothing is left to be explained. */
function isLeaf({final, isFinal, stated}: ValueNode): boolean {
  const value = isFinal ? final : stated.find(({isHidden}) => !isHidden)?.value
  return !isMap(value) || isEmpty(value)
}

/** Returns the keys below a node, those of the final values first. */
function childNames({final, isFinal, stated}: ValueNode): Iterable<string> {
  const names = new Set(isFinal && isMap(final) ? Object.keys(final) : [])
  for (const {value} of stated.toReversed()) {
    if (isMap(value)) for (const name of Object.keys(value)) names.add(name)
  }
  return names
}

function child({path, final, isFinal, stated}: ValueNode, name: string): ValueNode {
  const isThere = isFinal && isMap(final) && Object.hasOwn(final, name)
  const below: LayerValue[] = []
  const strongest = stated.find(({layer, isHidden}) => layer.name !== 'defaults' && !isHidden)
  let hidden = false
  let isAbove = true
  for (const {layer, value, isHidden} of stated) {
    // The layers are merged first: a map that replaced a scalar among them lies over the map of the defaults as any other.
    if (isAbove && layer.name === 'defaults') {
      isAbove = false
      hidden = strongest !== undefined && !isMap(strongest.value)
    }
    hidden ||= isHidden
    if (isMap(value) && Object.hasOwn(value, name)) {
      below.push({layer, value: value[name], isHidden: hidden})
    }
    // A value that is no map replaces, and a null removes, all that weaker layers have here.
    hidden ||= !isMap(value)
  }
  return {
    path: [...path, name],
    final: isThere ? (final as Values)[name] : undefined,
    isFinal: isThere,
    stated: below,
  }
}

function explainKey({path, final, isFinal, stated}: ValueNode): ExplainedKey {
  const strongest = stated.findIndex(({isHidden}) => !isHidden)
  const holds = (value: unknown) => (isFinal ? isDeepStrictEqual(value, final) : value === null)
  const winner = strongest >= 0 && holds(stated[strongest]!.value) ? strongest : -1
  return {
    path,
    value: final,
    winner: winner < 0 ? undefined : statement(stated[winner]!, path),
    lost: stated.filter((_, index) => index !== winner).map((each) => statement(each, path)),
  }
}

function statement({layer, value}: LayerValue, path: readonly string[]): Statement {
  const position = layer.position?.(path)
  const source = layer.sourceOf?.(path) ?? layer.source
  return {layer: layer.name, source, ...(position && {position}), value}
}

export interface DefaultLayers {
  /** From the weakest to the strongest: a chart's own defaults win over those that its subcharts have for themselves. */
  readonly layers: readonly ExplainedLayer[]
  /** The paths at which subcharts have their values: `['common']`, `['web', 'cache']`. */
  readonly subcharts: readonly (readonly string[])[]
}

interface UnpackedChart {
  readonly directory: string
  /** Where the chart was found, for people. */
  readonly origin: string
  readonly path: readonly string[]
}

/**
 * Reads the `values.yaml` files of an unpacked chart and its subcharts in `charts/` as layers. A packed subchart stays
 * unread, and one with an alias is found under its own name: of their keys it is stated that Helm made them.
 * Rejects with `KK_FILE`, `KK_YAML`.
 */
export async function defaultLayers(directory: string, origin: string): Promise<DefaultLayers> {
  const layers: ExplainedLayer[] = []
  const subcharts: (readonly string[])[] = []
  const queue: UnpackedChart[] = [{directory, origin, path: []}]
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
  {directory}: UnpackedChart,
  entries: readonly {readonly name: string}[],
): Promise<readonly string[]> {
  if (!entries.some(({name}) => name === 'charts')) return []
  const inside = await readdir(join(directory, 'charts'), {withFileTypes: true})
  return inside.filter((entry) => entry.isDirectory()).map(({name}) => name)
}

async function defaultsOf({directory, origin, path}: UnpackedChart): Promise<ExplainedLayer> {
  const file = join(origin, 'values.yaml')
  const {values, position} = chartValues(file, await readFile(join(directory, 'values.yaml'), 'utf8'))
  return {
    name: 'defaults',
    source: file,
    values: path.reduceRight<Values>((inner, name) => ({[name]: inner}), values),
    position: (key) => position(key.slice(path.length)),
  }
}
