import {isDeepStrictEqual} from 'node:util'
import type {Values} from '../release.ts'
import {maskedValue} from './masked-values.ts'
import {isMap} from './merge.ts'

export type ValuePath = readonly string[]

/** Values as they may be shown: what looks secret is masked, and what lies at the places that plugins call secret. */
export function maskSecrets(values: Values, paths: readonly ValuePath[]): Values {
  return paths.reduce<Values>(maskAt, maskedValue(values) as Values)
}

/** Whether anything of the values would be masked. */
export function holdSecrets(values: Values, paths: readonly ValuePath[]): boolean {
  return !isDeepStrictEqual(maskSecrets(values, paths), values)
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

function maskAt(values: Values, [key, ...rest]: ValuePath): Values {
  if (key === undefined || !Object.hasOwn(values, key)) return values
  const value = values[key]
  if (rest.length === 0) return {...values, [key]: maskedValue(value, true)}
  return isMap(value) ? {...values, [key]: maskAt(value, rest)} : values
}
