import {isMap} from './values.ts'

/** Returns what stands at a path of maps; undefined where the way ends before. */
export function dig(tree: unknown, ...path: readonly string[]): unknown {
  let at = tree
  for (const key of path) {
    if (!isMap(at)) return undefined
    at = at[key]
  }
  return at
}

/** Returns the maps of a list at a path; none where there is no list. */
export function digMaps(tree: unknown, ...path: readonly string[]): readonly object[] {
  const found = dig(tree, ...path)
  return Array.isArray(found) ? found.filter((each) => typeof each === 'object' && each !== null) : []
}

/** Returns the text at a path; undefined where there is none, or an empty one. */
export function digText(tree: unknown, ...path: readonly string[]): string | undefined {
  const found = dig(tree, ...path)
  return typeof found === 'string' && found !== '' ? found : undefined
}
