import {isDeepStrictEqual} from 'node:util'
import type {Position, Values} from '../../release.ts'
import type {Layer, LayerName} from '../layer.ts'
import {isMap} from '../merge.ts'

/** A layer, or the defaults of the chart or of one of its subcharts, which are below all. */
export type ExplainedLayer = Omit<Layer, 'name'> & {readonly name: LayerName | 'defaults'}

/** Who says what of a key. */
export interface Statement {
  readonly layer: ExplainedLayer['name']
  readonly source: string
  readonly position?: Position
  readonly value: unknown
}

/** Why a key of the final values is what it is. */
export interface ExplainedKey {
  readonly path: readonly string[]
  /** Of the final values; undefined when a null took the key away. Lists are explained as a whole. */
  readonly value: unknown
  /** Undefined where no layer says what the final value is: Helm made it. */
  readonly winner: Statement | undefined
  /** What other layers say of the key, from the strongest to the weakest. */
  readonly lost: readonly Statement[]
}

interface Place {
  readonly path: readonly string[]
  readonly final: unknown
  readonly isFinal: boolean
  /** The layers that say something here, from the strongest to the weakest. */
  readonly said: readonly Said[]
}

interface Said {
  readonly layer: ExplainedLayer
  readonly value: unknown
  /** Something stronger stands here in place of a map, so what is below this map is lost. */
  readonly isHidden: boolean
}

/**
 * For every key of the final values, and every key that a null took away, the layer that won and those that lost.
 * `layers` go from the weakest to the strongest; `final` is what Helm computed. In the order of the final values.
 */
export function explain(layers: readonly ExplainedLayer[], final: Values): ExplainedKey[] {
  const said = layers.toReversed().map((layer) => ({layer, value: layer.values, isHidden: false}))
  const keys: ExplainedKey[] = []
  visit({path: [], final, isFinal: true, said}, keys)
  return keys.filter(({value, winner}) => value !== undefined || winner?.value === null)
}

function visit(place: Place, keys: ExplainedKey[]): void {
  if (place.path.length > 0 && isLeaf(place)) {
    keys.push(explainKey(place))
    return
  }
  for (const name of childNames(place)) visit(child(place, name), keys)
}

/** Below a null nothing is left to be explained. */
function isLeaf({final, isFinal, said}: Place): boolean {
  const value = isFinal ? final : said.find(({isHidden}) => !isHidden)?.value
  return !isMap(value) || isEmpty(value)
}

/** Those of the final values first. */
function childNames({final, isFinal, said}: Place): Iterable<string> {
  const names = new Set(isFinal && isMap(final) ? Object.keys(final) : [])
  for (const {value} of said.toReversed()) {
    if (isMap(value)) for (const name of Object.keys(value)) names.add(name)
  }
  return names
}

function child({path, final, isFinal, said}: Place, name: string): Place {
  const isThere = isFinal && isMap(final) && Object.hasOwn(final, name)
  const below: Said[] = []
  const strongest = said.find(({layer, isHidden}) => layer.name !== 'defaults' && !isHidden)
  let hidden = false
  let isAbove = true
  for (const {layer, value, isHidden} of said) {
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
    said: below,
  }
}

function explainKey({path, final, isFinal, said}: Place): ExplainedKey {
  const strongest = said.findIndex(({isHidden}) => !isHidden)
  const holds = (value: unknown) => (isFinal ? isDeepStrictEqual(value, final) : value === null)
  const winner = strongest >= 0 && holds(said[strongest]!.value) ? strongest : -1
  return {
    path,
    value: final,
    winner: winner < 0 ? undefined : statement(said[winner]!, path),
    lost: said.filter((_, index) => index !== winner).map((each) => statement(each, path)),
  }
}

function statement({layer, value}: Said, path: readonly string[]): Statement {
  const position = layer.position?.(path)
  const source = layer.sourceOf?.(path) ?? layer.source
  return {layer: layer.name, source, ...(position && {position}), value}
}

function isEmpty(values: Values): boolean {
  return Object.keys(values).length === 0
}
