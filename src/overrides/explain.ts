import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import type {Position} from '../base/position.ts'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import type {Layer, LayerName} from './layer.ts'
import {chartValues} from './values-file.ts'

/** A layer, or the defaults of the chart or of one of its subcharts, which are below all layers. */
export type ExplainedLayer = Omit<Layer, 'name'> & {readonly name: LayerName | 'defaults'}

/** The value that a layer sets for a key. */
export interface Statement {
  readonly layer: ExplainedLayer['name']
  readonly source: string
  readonly position?: Position
  readonly value: unknown
}

/** A key of the final values, with the layers that decide it. */
export interface ExplainedKey {
  readonly path: readonly string[]
  /** The final value; undefined if a null removed the key. Lists are explained as a whole. */
  readonly value: unknown
  /** Undefined if no layer has the final value: Helm computed it. */
  readonly winner: Statement | undefined
  /** The values of other layers, from the strongest to the weakest. */
  readonly lost: readonly Statement[]
}

/** A key during the parallel traversal of layers and final values. */
interface ValueNode {
  readonly path: readonly string[]
  readonly final: unknown
  readonly isFinal: boolean
  /** The values of the layers that have the key, from the strongest to the weakest. */
  readonly candidates: readonly LayerValue[]
}

/** The value that one layer has for a key. */
interface LayerValue {
  readonly layer: ExplainedLayer
  readonly value: unknown
  /** A stronger layer has a value in place of a map, so everything below this map is overridden. */
  readonly isHidden: boolean
}

/**
 * Returns for every key of the final values, and every key that a null removed, the layer that won and those
 * that lost. `layers` go from the weakest to the strongest; `final` is what Helm computed. The keys are in
 * the order of the final values.
 */
export function explain(layers: readonly ExplainedLayer[], final: Values): ExplainedKey[] {
  const candidates = layers.toReversed().map((layer) => ({layer, value: layer.values, isHidden: false}))
  const keys: ExplainedKey[] = []
  visit({path: [], final, isFinal: true, candidates}, keys)
  return keys.filter(({value, winner}) => value !== undefined || winner?.value === null)
}

function visit(node: ValueNode, keys: ExplainedKey[]): void {
  if (node.path.length > 0 && isLeaf(node)) {
    keys.push(explainKey(node))
    return
  }
  for (const name of childNames(node)) visit(child(node, name), keys)
}

/** Returns true for a node without children; a null has none. */
function isLeaf({final, isFinal, candidates}: ValueNode): boolean {
  const value = isFinal ? final : candidates.find(({isHidden}) => !isHidden)?.value
  return !isMap(value) || isEmpty(value)
}

/** Returns the keys below a node, those of the final values first. */
function childNames({final, isFinal, candidates}: ValueNode): Iterable<string> {
  const names = new Set(isFinal && isMap(final) ? Object.keys(final) : [])
  for (const {value} of candidates.toReversed()) {
    if (isMap(value)) for (const name of Object.keys(value)) names.add(name)
  }
  return names
}

function child({path, final, isFinal, candidates}: ValueNode, name: string): ValueNode {
  const isThere = isFinal && isMap(final) && Object.hasOwn(final, name)
  const below: LayerValue[] = []
  const strongest = candidates.find(({layer, isHidden}) => layer.name !== 'defaults' && !isHidden)
  let hidden = false
  let isAbove = true
  for (const {layer, value, isHidden} of candidates) {
    // The layers are merged first: a map that replaced a scalar among them is merged over the map of the
    // defaults.
    if (isAbove && layer.name === 'defaults') {
      isAbove = false
      hidden = strongest !== undefined && !isMap(strongest.value)
    }
    hidden ||= isHidden
    if (isMap(value) && Object.hasOwn(value, name)) {
      below.push({layer, value: value[name], isHidden: hidden})
    }
    // A value that is no map replaces, and a null removes, everything that weaker layers have here.
    hidden ||= !isMap(value)
  }
  return {
    path: [...path, name],
    final: isThere ? (final as Values)[name] : undefined,
    isFinal: isThere,
    candidates: below,
  }
}

function explainKey({path, final, isFinal, candidates}: ValueNode): ExplainedKey {
  const strongest = candidates.findIndex(({isHidden}) => !isHidden)
  const holds = (value: unknown) => (isFinal ? isDeepStrictEqual(value, final) : value === null)
  const winner = strongest >= 0 && holds(candidates[strongest]!.value) ? strongest : -1
  return {
    path,
    value: final,
    winner: winner < 0 ? undefined : statement(candidates[winner]!, path),
    lost: candidates.filter((_, index) => index !== winner).map((each) => statement(each, path)),
  }
}

function statement({layer, value}: LayerValue, path: readonly string[]): Statement {
  const position = layer.position?.(path)
  const source = layer.sourceOf?.(path) ?? layer.source
  return {layer: layer.name, source, ...(position && {position}), value}
}

export interface DefaultLayers {
  /** From the weakest to the strongest: a chart's own defaults win over those of its subcharts. */
  readonly layers: readonly ExplainedLayer[]
  /** The paths at which subcharts have their values: `['common']`, `['web', 'cache']`. */
  readonly subcharts: readonly (readonly string[])[]
}

interface UnpackedChart {
  readonly directory: string
  /** The source of the chart, for people. */
  readonly origin: string
  readonly path: readonly string[]
}

/**
 * Reads the `values.yaml` files of an unpacked chart and its subcharts in `charts/` as layers. A packed
 * subchart is not read, and one with an alias is read under its own name: their keys are reported as computed
 * by Helm. Rejects with `KK_FILE`, `KK_YAML`.
 */
export async function defaultLayers(directory: string, origin: string): Promise<DefaultLayers> {
  const layers: ExplainedLayer[] = []
  const subcharts: (readonly string[])[] = []
  const queue: UnpackedChart[] = [{directory, origin, path: []}]
  for (const chart of queue) {
    const entries = await readdir(chart.directory, {withFileTypes: true})
    if (chart.path.length > 0) subcharts.push(chart.path)
    if (entries.some(({name}) => name === 'values.yaml')) layers.unshift(await readDefaults(chart))
    for (const name of await listSubcharts(chart, entries)) {
      queue.push({
        directory: join(chart.directory, 'charts', name),
        origin: join(chart.origin, 'charts', name),
        path: [...chart.path, name],
      })
    }
  }
  return {layers, subcharts}
}

async function listSubcharts(
  {directory}: UnpackedChart,
  entries: readonly {readonly name: string}[],
): Promise<readonly string[]> {
  if (!entries.some(({name}) => name === 'charts')) return []
  const inside = await readdir(join(directory, 'charts'), {withFileTypes: true})
  return inside.filter((entry) => entry.isDirectory()).map(({name}) => name)
}

async function readDefaults({directory, origin, path}: UnpackedChart): Promise<ExplainedLayer> {
  const file = join(origin, 'values.yaml')
  const {values, position} = chartValues(file, await readFile(join(directory, 'values.yaml'), 'utf8'))
  return {
    name: 'defaults',
    source: file,
    values: path.reduceRight<Values>((inner, name) => ({[name]: inner}), values),
    position: (key) => position(key.slice(path.length)),
  }
}
