import {isMap} from './values.ts'

/** Returns the value at a path of maps; undefined if a part of the path is missing. */
export function dig(tree: unknown, ...path: readonly string[]): unknown {
  let at = tree
  for (const key of path) {
    if (!isMap(at)) return undefined
    at = at[key]
  }
  return at
}

/** Returns the maps in the list at a path; an empty array if there is no list. */
export function digMaps(tree: unknown, ...path: readonly string[]): readonly object[] {
  const value = dig(tree, ...path)
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}

/** Returns the string at a path; undefined if missing, of another type or empty. */
export function digText(tree: unknown, ...path: readonly string[]): string | undefined {
  const value = dig(tree, ...path)
  return typeof value === 'string' && value !== '' ? value : undefined
}
