import {type LineColumn, placesIn, type Source} from '../helm/yaml/error.ts'
import {keyText} from '../helm/yaml/key.ts'
import {contentOf, type MappingNode, type Node} from '../helm/yaml/node.ts'
import {parseTrees} from '../helm/yaml/tree.ts'
import {isMergeKey, mergedMaps} from '../helm/yaml/value.ts'
import type {Position} from '../release.ts'

type Path = readonly (string | number)[]

interface Found {
  /** Where the key stands; for an item of a list, where the item starts. */
  readonly offset: number
  readonly value: Node
}

/** `positionIn` of a text. Positions are seldom asked for, and the tree behind them is large: it is built at the first call. */
export function locator(source: Source): (path: Path) => Position | undefined {
  let root: Node | undefined
  return (path) => {
    root ??= parseTrees(source)[0]
    return root && positionIn(source, root, path)
  }
}

/** Where the key or item at a path stands; a key that came by `<<` or an alias stands where it was written. */
export function positionIn(source: Source, root: Node, path: Path): Position | undefined {
  const found = path.reduce<Found | undefined>((at, step) => at && stepInto(source, at.value, step), {
    offset: root.offset,
    value: root,
  })
  return found && {file: source.file, ...placesOf(source)(found.offset)}
}

function stepInto(source: Source, node: Node, step: string | number): Found | undefined {
  const content = contentOf(node)
  if (content.kind === 'mapping') return keysOf(source, content).get(String(step))
  if (content.kind !== 'sequence' || typeof step !== 'number') return undefined
  const value = content.items[step]
  return value && {offset: value.offset, value}
}

const places = new WeakMap<Source, (offset: number) => LineColumn>()

function placesOf(source: Source): (offset: number) => LineColumn {
  const known = places.get(source) ?? placesIn(source.text)
  places.set(source, known)
  return known
}

/** Who asks for one key of a map often asks for all of them. */
const indexes = new WeakMap<MappingNode, ReadonlyMap<string, Found>>()

function keysOf(source: Source, map: MappingNode): ReadonlyMap<string, Found> {
  const known = indexes.get(map)
  if (known) return known
  const keys = new Map<string, Found>()
  const merges = map.pairs.filter(({key}) => isMergeKey(key))
  for (const {value} of merges) {
    for (const merged of mergedMaps(source, value)) {
      for (const [name, found] of keysOf(source, merged)) keys.set(name, found)
    }
  }
  for (const {key, value} of map.pairs) {
    if (!isMergeKey(key)) keys.set(keyText(source, key), {offset: key.offset, value})
  }
  indexes.set(map, keys)
  return keys
}
