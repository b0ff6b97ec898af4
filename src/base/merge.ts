import deepmerge from 'deepmerge'
import {isEmpty, isMap, type Values} from './values.ts'

const OPTIONS: deepmerge.Options = {arrayMerge: (_target, source) => source, clone: false}

/**
 * Merges values, the lowest first, as Helm merges values files (MergeMaps in loader/load.go): maps merge,
 * everything else replaces, null is kept for helm to process. Inputs are not changed; the result shares their
 * lists.
 */
export function mergeValues(...layers: readonly Values[]): Values {
  const [lowest = {}, ...above] = layers.filter((layer) => !isEmpty(layer))
  if (above.length === 0) return copyMaps(lowest, Object.prototype)
  const merged = above.reduce(
    (lower, upper) => deepmerge(copyMaps(lower, null), copyMaps(upper, null), OPTIONS) as Values,
    lowest,
  )
  return copyMaps(merged, Object.prototype)
}

/**
 * Copies maps without prototypes, because deepmerge skips keys that its target inherits, such as
 * `constructor`, which are normal keys for Helm. `__proto__` is dropped here, so that no later reader of the
 * values gets it.
 */
function copyMaps(values: Values, prototype: object | null): Values {
  const copy: Record<string, unknown> = Object.create(prototype)
  for (const [key, value] of Object.entries(values)) {
    if (key !== '__proto__') copy[key] = isMap(value) ? copyMaps(value, prototype) : value
  }
  return copy
}
