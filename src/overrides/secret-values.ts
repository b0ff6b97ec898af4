import {isDeepStrictEqual} from 'node:util'
import {secretsAmong, type ValuePath} from '../helm/redact/values.ts'
import type {Values} from '../release.ts'
import type {Layer} from './layer.ts'
import {isMap} from './merge.ts'

type Kept = Pick<Layer, 'values' | 'sealed'>

/** Returns true for encrypted values of which nothing is known to be secret any more, e.g. without the plugin that said so. */
export function isOpaque({values, sealed = false}: Kept, paths: readonly ValuePath[]): boolean {
  return sealed && secretsAmong(values, paths).length === 0
}

/** Returns the places that plugins call secret, and every place of layers of which nobody knows what is secret. */
export function secretPlaces(layers: readonly Kept[], paths: readonly ValuePath[]): readonly ValuePath[] {
  const opaque = layers.filter((layer) => isOpaque(layer, paths))
  return [...paths, ...opaque.flatMap(({values}) => leaves([], values))]
}

/** Lists count as one place. */
function leaves(path: ValuePath, value: unknown): readonly ValuePath[] {
  if (!isMap(value)) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner))
}

/**
 * Returns the first of the places whose value changes from one to the other, also by what is put in the way of it: a scalar
 * instead of a map that leads there.
 */
export function changedAt(before: Values, after: Values, paths: readonly ValuePath[]): ValuePath | undefined {
  return paths.find((path) => !isDeepStrictEqual(reached(before, path), reached(after, path)))
}

/** What stands at the place, or where the way to it ends. */
function reached(value: unknown, [key, ...rest]: ValuePath): unknown {
  if (key === undefined || !isMap(value)) return value
  return Object.hasOwn(value, key) ? reached(value[key], rest) : undefined
}
