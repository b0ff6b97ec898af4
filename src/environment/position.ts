import type {Position} from '../base/position.ts'
import {type LineColumn, placesIn, type Source} from '../yaml/error.ts'
import {keyText} from '../yaml/key.ts'
import {type MappingNode, type Node, targetNode} from '../yaml/node.ts'
import {parseTrees} from '../yaml/tree.ts'
import {isMergeKey, mergedMaps} from '../yaml/value.ts'

type Path = readonly (string | number)[]

interface Entry {
  /** The offset of the key; for an item of a list, the offset of the item. */
  readonly offset: number
  readonly value: Node
}

/**
 * Returns `positionIn` for a document. Its large tree is built on the first call, because positions are
 * rarely needed.
 */
export function locator(source: Source): (path: Path) => Position | undefined {
  let root: Node | undefined
  return (path) => {
    root ??= parseTrees(source)[0]
    return root && positionIn(source, root, path)
  }
}

/**
 * Returns the position of the key or item at a path; for keys from `<<` or an alias, the position of the
 * original key.
 */
export function positionIn(source: Source, root: Node, path: Path): Position | undefined {
  const entry = path.reduce<Entry | undefined>((at, step) => at && stepInto(source, at.value, step), {
    offset: root.offset,
    value: root,
  })
  return entry && {file: source.file, ...cachedPlaces(source)(entry.offset)}
}

function stepInto(source: Source, node: Node, step: string | number): Entry | undefined {
  const content = targetNode(node)
  if (content.kind === 'mapping') return indexKeys(source, content).get(String(step))
  if (content.kind !== 'sequence' || typeof step !== 'number') return undefined
  const value = content.items[step]
  return value && {offset: value.offset, value}
}

const places = new WeakMap<Source, (offset: number) => LineColumn>()

function cachedPlaces(source: Source): (offset: number) => LineColumn {
  const lookup = places.get(source) ?? placesIn(source.text)
  places.set(source, lookup)
  return lookup
}

/** The keys of each map, cached because callers often look up several keys of the same map. */
const indexes = new WeakMap<MappingNode, ReadonlyMap<string, Entry>>()

function indexKeys(source: Source, map: MappingNode): ReadonlyMap<string, Entry> {
  const cached = indexes.get(map)
  if (cached) return cached
  const keys = new Map<string, Entry>()
  const merges = map.pairs.filter(({key}) => isMergeKey(key))
  for (const {value} of merges) {
    for (const merged of mergedMaps(source, value)) {
      for (const [name, entry] of indexKeys(source, merged)) keys.set(name, entry)
    }
  }
  for (const {key, value} of map.pairs) {
    if (!isMergeKey(key)) keys.set(keyText(source, key), {offset: key.offset, value})
  }
  indexes.set(map, keys)
  return keys
}
