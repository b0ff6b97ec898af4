import {isMap, type Values} from '../base/values.ts'
import {mapLeaves} from './leaves.ts'
import {redactLines} from './lines.ts'
import {MASK} from './placeholder.ts'

/**
 * Returns a value as it may be shown: everything under a key that looks secret is masked, and everything that
 * looks like a secret inside a string. `isSecret`: the key of the value itself looks secret; `under` is that
 * key. Empty strings, nulls and booleans are not secret.
 */
export function redactValue(value: unknown, isSecret = false, under = ''): unknown {
  return mapLeaves(value, redactLeaf, {isSecret, under})
}

function redactLeaf(leaf: unknown, isSecret: boolean): unknown {
  if (leaf === undefined || leaf === null || leaf === '' || typeof leaf === 'boolean') return leaf
  if (isSecret) return MASK
  return typeof leaf === 'string' ? redactLines(leaf) : leaf
}

/** Returns a value that is secret as a whole: each string, number and boolean is masked. */
export function redactWhole(value: unknown): unknown {
  if (value === undefined || value === null || value === '') return value
  if (Array.isArray(value)) return value.map(redactWhole)
  if (typeof value !== 'object') return MASK
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactWhole(inner)]))
}

/** Returns true for values that contain a mask from a display: stored, the mask would replace the secret. */
export function holdsMask(value: unknown): boolean {
  if (typeof value === 'string') return /(?:^|[:=]\s*["']?)\*\*\*(?:["']?$|@)/m.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsMask)
}

/** The path of a value, as keys. */
export type ValuePath = readonly string[]

/**
 * Returns values as they may be shown: what looks secret is masked, and the paths that plugins declare as
 * secret.
 */
export function redactValues(values: Values, paths: readonly ValuePath[]): Values {
  return redactPlaces(redactValue(values) as Values, paths)
}

/** Returns values with only the values at these paths masked. */
export function redactPlaces(values: Values, paths: readonly ValuePath[]): Values {
  const below = placesBelow(paths)
  const masked = Object.entries(values).map(([key, value]) => {
    const places = below.get(key) ?? []
    if (places.some(({length}) => length === 0)) return [key, redactWhole(value)]
    return [key, isMap(value) && places.length > 0 ? redactPlaces(value, places) : value]
  })
  return Object.fromEntries(masked)
}

/**
 * Returns, for each first key of the paths, the rest of the paths: one walk instead of a quadratic copy for
 * each path.
 */
export function placesBelow(places: readonly ValuePath[]): ReadonlyMap<string, readonly ValuePath[]> {
  const below = new Map<string, ValuePath[]>()
  for (const [key, ...rest] of places) {
    if (key === undefined) continue
    const rests = below.get(key)
    if (rests) rests.push(rest)
    else below.set(key, [rest])
  }
  return below
}

/** Returns the paths of all values that would be masked; list items by index. */
export function secretsAmong(values: Values, paths: readonly ValuePath[]): readonly ValuePath[] {
  return differing([], values, redactValues(values, paths))
}

function differing(path: ValuePath, value: unknown, masked: unknown): readonly ValuePath[] {
  if (typeof value !== 'object' || value === null || typeof masked !== 'object' || masked === null) {
    return Object.is(value, masked) ? [] : [path]
  }
  const shown = new Map(Object.entries(masked))
  return Object.entries(value).flatMap(([key, inner]) => differing([...path, key], inner, shown.get(key)))
}
