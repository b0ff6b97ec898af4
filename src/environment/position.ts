import {placeOf, type Source} from '../helm/yaml/error.ts'
import {keyText} from '../helm/yaml/key.ts'
import {contentOf, type MappingNode, type Node} from '../helm/yaml/node.ts'
import {isMergeKey, mergedMaps} from '../helm/yaml/value.ts'
import type {Position} from '../release.ts'

type Path = readonly (string | number)[]

interface Found {
  /** Where the key stands; for an item of a list, where the item starts. */
  readonly offset: number
  readonly value: Node
}

/** Where the key or item at a path stands; a key that came by `<<` or an alias stands where it was written. */
export function positionIn(source: Source, root: Node, path: Path): Position | undefined {
  const found = path.reduce<Found | undefined>((at, step) => at && stepInto(source, at.value, step), {
    offset: root.offset,
    value: root,
  })
  return found && {file: source.file, ...placeOf(source.text, found.offset)}
}

function stepInto(source: Source, node: Node, step: string | number): Found | undefined {
  const content = contentOf(node)
  if (content.kind === 'mapping') return findKey(source, content, String(step))
  if (content.kind !== 'sequence' || typeof step !== 'number') return undefined
  const value = content.items[step]
  return value && {offset: value.offset, value}
}

function findKey(source: Source, map: MappingNode, name: string): Found | undefined {
  const own = map.pairs.findLast(({key}) => !isMergeKey(key) && keyText(source, key) === name)
  if (own) return {offset: own.key.offset, value: own.value}
  const merged = map.pairs.filter(({key}) => isMergeKey(key)).flatMap(({value}) => mergedMaps(source, value))
  for (const each of merged.toReversed()) {
    const found = findKey(source, each, name)
    if (found) return found
  }
  return undefined
}
