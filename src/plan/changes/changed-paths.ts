import {isMap, type Values} from '../../base/values.ts'
import {canonicalJson} from '../digest.ts'

type Path = readonly string[]

/**
 * Returns the paths of the values that differ. It descends into maps, not into lists. A null and an empty map
 * count as absent: neither removes or adds anything visible in a release on the cluster.
 */
export function changedPaths(before: Values, after: Values): readonly Path[] {
  return pathsBelow([], before, after)
}

function pathsBelow(path: Path, before: unknown, after: unknown): readonly Path[] {
  const [one, other] = [orMap(before, after), orMap(after, before)]
  if (isMap(one) && isMap(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)])
    return [...keys].flatMap((key) => pathsBelow([...path, key], own(one, key), own(other, key)))
  }
  return canonicalJson(stored(one)) === canonicalJson(stored(other)) ? [] : [path]
}

function orMap(value: unknown, against: unknown): unknown {
  return (value ?? undefined) === undefined && isMap(against) ? {} : value
}

function own(values: Values, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined
}

/** Returns a value as it comes back from the JSON that helm stores. */
function stored(value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  return JSON.parse(JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? Number(inner) : inner)))
}
