import type {Source} from '../../helm/yaml/error.ts'
import {keyText} from '../../helm/yaml/key.ts'
import {
  type ContentNode,
  contentOf,
  type MappingNode,
  type Node,
  type ScalarNode,
} from '../../helm/yaml/node.ts'
import {isMergeKey, mergedMaps} from '../../helm/yaml/value.ts'
import {resolveWord} from '../../helm/yaml/word.ts'
import {pythonFloat} from './float.ts'
import {type PythonNode, type PythonPair, type PythonScalar, pythonMap} from './node.ts'
import {pythonWord} from './word.ts'

interface Constructor {
  readonly source: Source
  readonly seen: Map<ContentNode, PythonNode>
}

/** A document as PyYAML holds it after `yaml.load`. Expects one that Helm reads, without keys that come twice. */
export function constructPython(source: Source, root: Node): PythonNode {
  return construct({source, seen: new Map()}, root)
}

function construct(state: Constructor, node: Node): PythonNode {
  const content = contentOf(node)
  if (content.kind === 'scalar') return constructShared(state, content)
  const seen = content.aliased ? state.seen.get(content) : undefined
  if (seen) return seen
  const made =
    content.kind === 'mapping'
      ? pythonMap(constructEntries(state, content))
      : ({kind: 'list', items: content.items.map((item) => construct(state, item))} as const)
  if (content.aliased) state.seen.set(content, made)
  return made
}

/** Dates are objects for Python: two aliases of one are written as an anchor and an alias. */
function constructShared(state: Constructor, node: ScalarNode): PythonScalar {
  const made = constructScalar(node)
  if (made.type !== 'timestamp') return made
  const seen = state.seen.get(node)
  if (seen?.kind === 'scalar') return seen
  state.seen.set(node, made)
  return made
}

function constructEntries(state: Constructor, node: MappingNode): Map<string, PythonPair> {
  const entries = new Map<string, PythonPair>()
  for (const {key, value} of node.pairs) {
    if (!isMergeKey(key)) {
      const name = keyText(state.source, key)
      entries.set(name, {key: constructScalar(contentOf(key) as ScalarNode), value: construct(state, value)})
      continue
    }
    for (const merged of mergedMaps(state.source, value)) {
      const inner = construct(state, merged)
      if (inner.kind === 'map') for (const [name, pair] of inner.entries) entries.set(name, pair)
    }
  }
  return entries
}

/** PyYAML's meaning where Helm reads the same out of what PyYAML writes; Helm's meaning elsewhere. */
function constructScalar(node: ScalarNode): PythonScalar {
  const core = node.tag.startsWith('tag:yaml.org,2002:') ? node.tag.slice(18) : ''
  if (core === 'binary') return {kind: 'scalar', type: 'binary', text: base64Lines(node.text), bare: false}
  const word = node.tag === '' && node.plain ? plainWord(node.text) : taggedWord(core, node.text)
  return word ?? {kind: 'scalar', type: 'str', text: node.text, bare: false}
}

function plainWord(text: string): PythonScalar | undefined {
  const python = pythonWord(text)
  if (python?.dumped === undefined)
    return resolveWord(text) && {kind: 'scalar', type: 'str', text, bare: true}
  const {type} = python
  if (type === 'base60' || type === 'merge' || type === 'value') return undefined
  return {kind: 'scalar', type, text: python.dumped, bare: true}
}

function taggedWord(core: string, text: string): PythonScalar | undefined {
  if (!['null', 'bool', 'int', 'float'].includes(core)) return undefined
  const word = resolveWord(text)
  if (!word) return undefined
  const dumped =
    core === 'float' && word.kind !== 'null' ? pythonFloat(Number(word.value)) : pythonWord(text)?.dumped
  return {kind: 'scalar', type: core as PythonScalar['type'], text: dumped ?? text, bare: true}
}

/** Python's `base64.encodebytes`. */
function base64Lines(text: string): string {
  const canonical = Buffer.from(text, 'base64').toString('base64')
  return canonical.replaceAll(/.{1,76}/g, '$&\n')
}
