import {isDeepStrictEqual} from 'node:util'
import {isEmpty, isMap, type Values} from '../base/values.ts'
import {placesBelow, secretsAmong, type ValuePath} from '../redact/values.ts'
import type {Layer} from './layer.ts'
import {difference} from './layers.ts'

type Kept = Pick<Layer, 'values' | 'sealed'>

/**
 * Returns true for encrypted values if none of them is known to be secret now, e.g. because the plugin that
 * declared it is missing.
 */
export function isOpaque({values, sealed = false}: Kept, paths: readonly ValuePath[]): boolean {
  return sealed && secretsAmong(values, paths).length === 0
}

/**
 * Returns the paths that plugins declare secret, and every path of encrypted layers whose secrets are
 * unknown.
 */
export function pathsToMask(layers: readonly Kept[], paths: readonly ValuePath[]): readonly ValuePath[] {
  const opaque = layers.filter((layer) => isOpaque(layer, paths))
  return [...paths, ...opaque.flatMap(({values}) => leaves([], values))]
}

/** Returns the paths of all values below one; a list counts as one value. */
export function leaves(path: ValuePath, value: unknown): readonly ValuePath[] {
  if (!isMap(value)) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner))
}

/** Returns the first of the paths whose value changes, also by a scalar that replaces a parent map. */
export function changedAt(before: Values, after: Values, paths: readonly ValuePath[]): ValuePath | undefined {
  return paths.find((path) => !isDeepStrictEqual(valueOrScalarAt(before, path), valueOrScalarAt(after, path)))
}

/** Returns the value at a path, or the scalar at which the path ends early. */
function valueOrScalarAt(value: unknown, [key, ...rest]: ValuePath): unknown {
  if (key === undefined || !isMap(value)) return value
  return Object.hasOwn(value, key) ? valueOrScalarAt(value[key], rest) : undefined
}

/** Values in two parts, which merge to the original in either order. */
export interface SplitValues {
  /** The values without secrets, and without maps that hold only secrets. */
  readonly values: Values
  readonly secrets: Values
  /**
   * The paths of the secrets; a list that contains one is secret as a whole, because its items have no names.
   */
  readonly places: readonly ValuePath[]
}

/** Separates values that look secret, and those at paths that plugins declare secret, from the others. */
export function splitSecretValues(values: Values, paths: readonly ValuePath[]): SplitValues {
  const publicValues = withoutPlaces(values, secretsAmong(values, paths))
  const secrets = difference(publicValues, values)
  return {values: publicValues, secrets, places: isEmpty(secrets) ? [] : leaves([], secrets)}
}

function withoutPlaces(values: Values, all: readonly ValuePath[]): Values {
  const below = placesBelow(all)
  const entries = Object.entries(values).flatMap(([key, inner]) => {
    const places = below.get(key)
    if (!places) return [[key, inner]]
    if (!isMap(inner) || places.some(({length}) => length === 0)) return []
    const rest = withoutPlaces(inner, places)
    return isEmpty(rest) ? [] : [[key, rest]]
  })
  return Object.fromEntries(entries)
}
