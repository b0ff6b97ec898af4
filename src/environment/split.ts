import type {Source} from '../yaml/error.ts'
import {keyText} from '../yaml/key.ts'
import {type ContentNode, type MappingNode, type Node, type ScalarNode, targetNode} from '../yaml/node.ts'
import {countAnchors, dumpPython} from '../yaml/pyyaml/dump.ts'
import {pythonFloat} from '../yaml/pyyaml/float.ts'
import {
  type PythonMap,
  type PythonNode,
  type PythonPair,
  type PythonScalar,
  pythonMap,
} from '../yaml/pyyaml/node.ts'
import {pythonWord} from '../yaml/pyyaml/word.ts'
import {isMergeKey, mergedMaps} from '../yaml/value.ts'
import {resolveWord} from '../yaml/word.ts'
import type {EnvironmentDocument} from './read.ts'

/**
 * Returns the values file of each section of a document, in its order, in the format of openstack-helm's
 * `values.py`: the common `global`, then the section; `kk` and `global` have none. The last of duplicate keys
 * wins.
 */
export function splitEnvironment({source, root: tree}: EnvironmentDocument): ReadonlyMap<string, string> {
  const root = constructPython(source, tree) as PythonMap
  const global = root.entries.get('global')
  const common = global ? pythonMap(new Map([['global', global]])) : undefined
  const shared = {
    global,
    common: common ? dumpPython(common) : '',
    anchors: common ? countAnchors(common) : 0,
  }
  const names = [...root.entries.keys()].filter((name) => name !== 'kk' && name !== 'global')
  return new Map(
    names.map((name) => [name, valuesFile(shared, (root.entries.get(name) as PythonPair).value)]),
  )
}

interface Common {
  readonly global: PythonPair | undefined
  /** The output of `global` in every file whose section does not change it. */
  readonly common: string
  /**
   * The number of anchors in it; the section continues the numbering because anchor names are unique in a
   * document.
   */
  readonly anchors: number
}

function valuesFile({global, common, anchors}: Common, section: PythonNode): string {
  if (section.kind !== 'map') return common || 'null\n...\n'
  const own = section.entries.get('global')
  if (!own || !global)
    return section.entries.size === 0 ? common || '{}\n' : common + dumpPython(section, {anchors})
  const rest = new Map(section.entries)
  rest.delete('global')
  const merged = pythonMap(new Map([['global', {key: own.key, value: merge(global.value, own.value)}]]))
  const later = {anchors: countAnchors(merged)}
  return dumpPython(merged) + (rest.size === 0 ? '' : dumpPython(pythonMap(rest), later))
}

/** Merges like Helm merges one values file over another: maps merge, everything else replaces. */
function merge(below: PythonNode, above: PythonNode): PythonNode {
  if (below.kind !== 'map' || above.kind !== 'map') return above
  const entries = new Map(below.entries)
  for (const [name, pair] of above.entries) {
    const under = entries.get(name)
    entries.set(name, under ? {key: under.key, value: merge(under.value, pair.value)} : pair)
  }
  return pythonMap(entries)
}

interface Constructor {
  readonly source: Source
  readonly seen: Map<ContentNode, PythonNode>
}

/**
 * Returns what PyYAML's `yaml.load` makes of a document that Helm reads; of duplicate keys the last counts.
 */
function constructPython(source: Source, root: Node): PythonNode {
  return construct({source, seen: new Map()}, root)
}

function construct(state: Constructor, node: Node): PythonNode {
  const content = targetNode(node)
  if (content.kind === 'scalar') return constructShared(state, content)
  const seen = content.aliased ? state.seen.get(content) : undefined
  if (seen) return seen
  const result =
    content.kind === 'mapping'
      ? pythonMap(constructEntries(state, content))
      : ({kind: 'list', items: content.items.map((item) => construct(state, item))} as const)
  if (content.aliased) state.seen.set(content, result)
  return result
}

/** Returns a node's scalar; aliases share a date, an object in Python that is written with an anchor. */
function constructShared(state: Constructor, node: ScalarNode): PythonScalar {
  const scalar = constructScalar(node)
  if (scalar.type !== 'timestamp') return scalar
  const seen = state.seen.get(node)
  if (seen?.kind === 'scalar') return seen
  state.seen.set(node, scalar)
  return scalar
}

function constructEntries(state: Constructor, node: MappingNode): Map<string, PythonPair> {
  const entries = new Map<string, PythonPair>()
  for (const {key, value} of node.pairs) {
    if (!isMergeKey(key)) {
      const name = keyText(state.source, key)
      entries.set(name, {key: constructScalar(targetNode(key) as ScalarNode), value: construct(state, value)})
      continue
    }
    for (const merged of mergedMaps(state.source, value)) {
      const inner = construct(state, merged)
      if (inner.kind === 'map') for (const [name, pair] of inner.entries) entries.set(name, pair)
    }
  }
  return entries
}

/** Returns a scalar with PyYAML's meaning where Helm reads its output as the same, else with Helm's. */
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

/** Returns base64 in the line format of Python's `base64.encodebytes`. */
function base64Lines(text: string): string {
  const canonical = Buffer.from(text, 'base64').toString('base64')
  return canonical.replaceAll(/.{1,76}/g, '$&\n')
}
