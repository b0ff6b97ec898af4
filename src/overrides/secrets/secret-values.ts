import {isDeepStrictEqual} from 'node:util'
import type {Values} from '../../release.ts'
import type {Layer} from '../layer.ts'
import {isMap} from '../merge.ts'
import {maskedValue, maskedWhole} from './masked-values.ts'

export type ValuePath = readonly string[]

/** Values as they may be shown: what looks secret is masked, and what lies at the places that plugins call secret. */
export function maskSecrets(values: Values, paths: readonly ValuePath[]): Values {
  return maskPlaces(maskedValue(values) as Values, paths)
}

/** The same of what lies at the places only. */
export function maskPlaces(values: Values, paths: readonly ValuePath[]): Values {
  return paths.reduce<Values>(maskAt, values)
}

type Kept = Pick<Layer, 'values' | 'sealed'>

/** Encrypted values of which nothing is known to be secret any more, e.g. without the plugin that said so. */
export function isOpaque({values, sealed = false}: Kept, paths: readonly ValuePath[]): boolean {
  return sealed && secretsAmong(values, paths).length === 0
}

/** The places that plugins call secret, and every place of layers of which nobody knows what is secret. */
export function secretPlaces(layers: readonly Kept[], paths: readonly ValuePath[]): readonly ValuePath[] {
  const opaque = layers.filter((layer) => isOpaque(layer, paths))
  return [...paths, ...opaque.flatMap(({values}) => leaves([], values))]
}

/** Lists count as one place. */
function leaves(path: ValuePath, value: unknown): readonly ValuePath[] {
  if (!isMap(value)) return [path]
  return Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner))
}

/** The places of what would be masked; a list's items by their numbers. */
export function secretsAmong(values: Values, paths: readonly ValuePath[]): readonly ValuePath[] {
  return differing([], values, maskSecrets(values, paths))
}

/**
 * The first of the places whose value changes from one to the other, also by what is put in the way of it: a scalar
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

function differing(path: ValuePath, value: unknown, masked: unknown): readonly ValuePath[] {
  if (typeof value !== 'object' || value === null || typeof masked !== 'object' || masked === null) {
    return Object.is(value, masked) ? [] : [path]
  }
  const shown = new Map(Object.entries(masked))
  return Object.entries(value).flatMap(([key, inner]) => differing([...path, key], inner, shown.get(key)))
}

function maskAt(values: Values, [key, ...rest]: ValuePath): Values {
  if (key === undefined || !Object.hasOwn(values, key)) return values
  const value = values[key]
  if (rest.length === 0) return {...values, [key]: maskedWhole(value)}
  return isMap(value) ? {...values, [key]: maskAt(value, rest)} : values
}
