import type {Values} from '../base/values.ts'
import {type Source, yamlError} from './error.ts'
import {keyText} from './key.ts'
import {type ContentNode, type MappingNode, type Node, type ScalarNode, targetNode} from './node.ts'
import {exactInteger, resolveWord} from './word.ts'

export interface ValueOptions {
  /**
   * What to do for a duplicate key: Helm silently takes the last one; a function is called with the message.
   */
  readonly duplicates: 'last' | 'error' | ((message: string) => void)
  /** What to do for an integer that a float64 cannot represent; Helm silently rounds it. */
  readonly integers: 'rounded' | 'error'
}

interface Reader extends ValueOptions {
  readonly source: Source
  /** Nodes shared by aliases are read once and become one object. */
  readonly seen: Map<ContentNode, unknown>
}

/**
 * Returns a document as Helm reads it. Aliases become shared objects, so do not mutate the result. Throws
 * `KK_YAML`.
 */
export function documentValue(source: Source, root: Node, options: ValueOptions): unknown {
  return nodeValue({source, seen: new Map(), ...options}, root)
}

function nodeValue(reader: Reader, node: Node): unknown {
  const content = targetNode(node)
  if (content.kind === 'scalar') {
    const value = scalarValue(reader.source, content)
    if (reader.integers === 'error' && typeof value === 'number') expectExact(reader.source, content, value)
    return value
  }
  const seen = content.aliased ? reader.seen.get(content) : undefined
  if (seen !== undefined) return seen
  const value =
    content.kind === 'sequence'
      ? content.items.map((item) => nodeValue(reader, item))
      : mapValue(reader, content)
  if (content.aliased) reader.seen.set(content, value)
  return value
}

function mapValue(reader: Reader, node: MappingNode): Values {
  const {source, duplicates} = reader
  const map: Record<string, unknown> = {}
  const names = new Set<string>()
  if (duplicates !== 'last' && node.pairs.some(({key}) => isMergeKey(key))) keyKinds(source, node)
  for (const {key, value} of node.pairs) {
    if (isMergeKey(key)) {
      mergeInto(reader, {map, names}, value)
      continue
    }
    const name = keyText(source, key)
    if (duplicates !== 'last') {
      if (names.has(name)) reportDuplicate(duplicate(source, node, key, name), duplicates)
      names.add(name)
    }
    setOwn(map, name, nodeValue(reader, value))
  }
  return map
}

/**
 * Returns the type of each key in Go's reader: `123` and `"123"` are two keys, which get the same name in
 * JSON. Throws `KK_YAML` if a map merges such a pair with `<<`: Helm takes the value of either, by the order
 * of a Go map.
 */
function keyKinds(source: Source, node: MappingNode): ReadonlyMap<string, string> {
  const kinds = new Map<string, string>()
  const isMerging = node.pairs.some(({key}) => isMergeKey(key))
  const add = (name: string, kind: string, offset: number) => {
    const other = kinds.get(name)
    if (other !== undefined && other !== kind && isMerging) {
      const message = `the key "${name}" is of two types here, ${other} and ${kind}, and << merges: Helm would take either`
      throw yamlError(source, offset, message, 'write both with quotes, or both without')
    }
    kinds.set(name, kind)
  }
  for (const {key, value} of node.pairs) {
    if (!isMergeKey(key)) {
      add(keyText(source, key), keyKind(targetNode(key)), key.offset)
      continue
    }
    for (const merged of mergedMaps(source, value))
      for (const [name, kind] of keyKinds(source, merged)) add(name, kind, value.offset)
  }
  return kinds
}

function keyKind(key: ContentNode): string {
  const word = key.kind === 'scalar' && key.plain && key.tag === '' ? resolveWord(key.text) : undefined
  return word === undefined ? 'string' : word.kind
}

function reportDuplicate(error: Error, duplicates: Exclude<ValueOptions['duplicates'], 'last'>): void {
  if (duplicates === 'error') throw error
  duplicates(error.message)
}

/** Sets a key; `__proto__` is set like any other. */
function setOwn(map: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') map[name] = value
  else Object.defineProperty(map, name, {value, enumerable: true, configurable: true, writable: true})
}

/** Returns true for a plain `<<`. go.yaml.in/yaml/v2: decode.go isMerge. */
export function isMergeKey(node: Node): boolean {
  const key = targetNode(node)
  return key.kind === 'scalar' && key.text === '<<' && key.plain && (key.tag === '' || key.tag === '!')
}

/**
 * Returns the maps that `<<` merges, in order of increasing precedence. Throws `KK_YAML` for other values.
 */
export function mergedMaps(source: Source, value: Node): MappingNode[] {
  const maps = value.kind === 'sequence' ? value.items.toReversed() : [value]
  return maps.map((each) => {
    const content = targetNode(each)
    if (content.kind === 'mapping') return content
    throw yamlError(source, each.offset, `expected a map behind <<, got a ${content.kind}`, 'merge maps only')
  })
}

/** In Helm's reader, `<<` overrides keys before it; in every other reader, the keys override `<<`. */
function mergeInto(
  reader: Reader,
  into: {map: Record<string, unknown>; names: ReadonlySet<string>},
  value: Node,
): void {
  for (const merged of mergedMaps(reader.source, value)) {
    for (const [name, inner] of Object.entries(nodeValue(reader, merged) as Values)) {
      if (into.names.has(name)) {
        const message = `the key "${name}" is before << and in the merged map: Helm would take the merged one`
        throw yamlError(reader.source, value.offset, message, 'put << first in its map')
      }
      setOwn(into.map, name, inner)
    }
  }
}

function duplicate(source: Source, node: MappingNode, key: Node, name: string): Error {
  const first = node.pairs.find((pair) => !isMergeKey(pair.key) && keyText(source, pair.key) === name)
  const line = source.text.slice(0, first?.key.offset).split(/\r\n|\r|\n/).length
  const message = `the key "${name}" is duplicate, first in line ${line}`
  return yamlError(source, key.offset, message, 'keep one of them')
}

const CORE = 'tag:yaml.org,2002:'

/** go.yaml.in/yaml/v2: resolve.go resolve. Tags that it does not know leave the string unchanged. */
function scalarValue(source: Source, node: ScalarNode): unknown {
  if (node.tag === '') return checked(source, node, node.plain ? resolveWord(node.text)?.value : node.text)
  if (node.tag === `${CORE}binary`) return binaryText(source, node)
  const kind = node.tag.startsWith(CORE) ? node.tag.slice(CORE.length) : ''
  if (!['null', 'bool', 'int', 'float'].includes(kind)) return checked(source, node, node.text)
  const word = resolveWord(node.text)
  if (word && (word.kind === kind || (kind === 'float' && word.kind === 'int')))
    return checked(source, node, word.value)
  throw yamlError(
    source,
    node.offset,
    `expected !!${kind}, got another word`,
    'correct the value or drop the tag',
  )
}

/**
 * Returns the value if JSON, and with it Helm, can represent it. Undefined means that the scalar is a string.
 */
function checked(source: Source, node: ScalarNode, value: unknown): unknown {
  if (value === undefined) return node.text
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw yamlError(
      source,
      node.offset,
      `Helm does not accept ${node.text}`,
      'write a finite number, or quotes around it',
    )
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw yamlError(
      source,
      node.offset,
      'half of a surrogate pair is not a character',
      'write \\U with 8 digits',
    )
  }
  return value
}

/** Throws `KK_YAML` for an integer that is rounded. The message omits the number, which can be a secret. */
function expectExact(source: Source, {text, offset}: ScalarNode, value: number): void {
  const digits = text.replaceAll('_', '')
  const exact = exactInteger(text) ?? (/^[-+]?[1-9]\d*$/.test(digits) ? BigInt(digits) : undefined)
  if (exact === undefined || exact === BigInt(value)) return
  const message = 'expected an integer that is not rounded on its way to the chart, got one above 2^53'
  throw yamlError(source, offset, message, 'write it as a string, in quotes')
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function binaryText(source: Source, node: ScalarNode): string {
  const text = node.text.replaceAll(/[\r\n]/g, '')
  if (!BASE64.test(text))
    throw yamlError(source, node.offset, 'expected base64 after !!binary', 'correct the value')
  return Buffer.from(text, 'base64').toString('utf8')
}
