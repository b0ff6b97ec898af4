import {isDeepStrictEqual} from 'node:util'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import {placesBelow, secretsAmong, type ValuePath} from '../redact/values.ts'
import type {Layer} from './layer.ts'
import {difference} from './layers.ts'

type Kept = Pick<Layer, 'values' | 'sealed'>

/** Returns true for encrypted values of which nothing is known to be secret any more, e.g. without the plugin that said so. */
export function isOpaque({values, sealed = false}: Kept, paths: readonly ValuePath[]): boolean {
  return sealed && secretsAmong(values, paths).length === 0
}

/** Returns the paths that plugins call secret, and every path of layers of which nobody knows what is secret. */
export function pathsToMask(layers: readonly Kept[], paths: readonly ValuePath[]): readonly ValuePath[] {
  const opaque = layers.filter((layer) => isOpaque(layer, paths))
  return [...paths, ...opaque.flatMap(({values}) => leaves([], values))]
}

/** Returns the paths of all values below one; a list counts as one value. */
export function leaves(path: ValuePath, value: unknown): readonly ValuePath[] {
  if (!isMap(value)) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner))
}

/** Returns the first of the paths whose value changes, also by a scalar in the place of a map that leads there. */
export function changedAt(before: Values, after: Values, paths: readonly ValuePath[]): ValuePath | undefined {
  return paths.find((path) => !isDeepStrictEqual(reached(before, path), reached(after, path)))
}

/** Returns the value at a path, or the one at which the way to it ends. */
function reached(value: unknown, [key, ...rest]: ValuePath): unknown {
  if (key === undefined || !isMap(value)) return value
  return Object.hasOwn(value, key) ? reached(value[key], rest) : undefined
}

/** Values in two parts, which merged are the whole again, in either order. */
export interface ApartValues {
  /** Without what is secret, and without maps that hold nothing else. */
  readonly values: Values
  readonly secrets: Values
  /** The places of the secrets; a list that holds one is secret as a whole, for its items have no names. */
  readonly places: readonly ValuePath[]
}

/** Returns values and apart from them what looks secret, and what lies at the paths that plugins call secret. */
export function secretsApart(values: Values, paths: readonly ValuePath[]): ApartValues {
  const kept = withoutPlaces(values, secretsAmong(values, paths))
  const secrets = difference(kept, values)
  return {values: kept, secrets, places: isEmpty(secrets) ? [] : leaves([], secrets)}
}

function withoutPlaces(values: Values, all: readonly ValuePath[]): Values {
  const below = placesBelow(all)
  const left = Object.entries(values).flatMap(([key, inner]) => {
    const places = below.get(key)
    if (!places) return [[key, inner]]
    if (!isMap(inner) || places.some(({length}) => length === 0)) return []
    const rest = withoutPlaces(inner, places)
    return isEmpty(rest) ? [] : [[key, rest]]
  })
  return Object.fromEntries(left)
}
