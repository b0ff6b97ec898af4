import type {Values} from '../../base/values.ts'
import {resolveWord} from '../word.ts'
import {pythonFloat} from './float.ts'
import {
  type PythonList,
  type PythonMap,
  type PythonNode,
  type PythonPair,
  type PythonScalar,
  pythonMap,
} from './node.ts'
import {writeDoubleQuoted, writeLiteral, writePlain, writeSingleQuoted} from './scalar.ts'
import {pythonWord} from './word.ts'
import {indented, newWriter, WIDTH, type Writer, writeIndent, writeIndicator} from './writer.ts'

/**
 * The style of collections, as PyYAML's `default_flow_style`: `block` is False (blocks everywhere),
 * `innermost-flow` is None (innermost collections on one line).
 */
type CollectionStyle = 'block' | 'innermost-flow'

interface Dumper {
  readonly writer: Writer
  readonly style: CollectionStyle
  readonly anchors: ReadonlyMap<PythonNode, string>
  readonly written: Set<PythonNode>
}

interface Context extends ScalarPlace {
  /** Whether the node is a key or a value of a map. */
  readonly inMap: boolean
}

const IN_LIST: Context = {inMap: false, simpleKey: false, flow: false}
const IN_MAP: Context = {inMap: true, simpleKey: false, flow: false}
const SIMPLE_KEY: Context = {inMap: true, simpleKey: true, flow: false}
const IN_FLOW: Context = {inMap: false, simpleKey: false, flow: true}
const FLOW_KEY: Context = {inMap: true, simpleKey: true, flow: true}

interface DumpOptions {
  readonly style?: CollectionStyle
  /** The number of anchors that precede those of this map in the document. */
  readonly anchors?: number
}

/**
 * Writes a map byte for byte as PyYAML's `yaml.dump(map, default_flow_style=False)` does, or with `=None`.
 * One exception: a string that PyYAML does not quote and Helm would read as a number or a boolean ("y",
 * "1e3", "08") is quoted.
 */
export function dumpPython(root: PythonMap, {style = 'block', anchors = 0}: DumpOptions = {}): string {
  const dumper: Dumper = {
    writer: newWriter(),
    style,
    anchors: collectAnchors(root, anchors),
    written: new Set(),
  }
  writeNode(dumper, root, IN_LIST)
  writeIndent(dumper.writer)
  return dumper.writer.text
}

function writeNode(dumper: Dumper, node: PythonNode, context: Context): void {
  const anchor = dumper.anchors.get(node)
  if (anchor !== undefined && dumper.written.has(node)) {
    writeIndicator(dumper.writer, `*${anchor}`, {spaced: true})
    return
  }
  if (anchor !== undefined) {
    dumper.written.add(node)
    writeIndicator(dumper.writer, `&${anchor}`, {spaced: true})
  }
  if (node.kind === 'scalar') writeScalar(dumper.writer, node, context)
  else if (dumper.style === 'innermost-flow' && isInnermost(node)) writeInnermost(dumper, node)
  else if (node.kind === 'list') writeList(dumper, node, context)
  else writeMap(dumper, node)
}

function writeInnermost(dumper: Dumper, node: Innermost): void {
  writeFlow(dumper.writer, node, {
    writeKey: (key) => writeNode(dumper, key, FLOW_KEY),
    writeValue: (value) => writeNode(dumper, value, IN_FLOW),
    isSimpleKey: (key) => isSimpleKey(dumper, key),
  })
}

function writeList(dumper: Dumper, list: PythonList, context: Context): void {
  const {writer} = dumper
  if (list.items.length === 0) {
    writeEmpty(writer, '[', ']')
    return
  }
  indented(writer, context.inMap && !writer.indention ? 'indentless' : 'block', () => {
    for (const item of list.items) {
      writeIndent(writer)
      writeIndicator(writer, '-', {spaced: true, indention: true})
      writeNode(dumper, item, IN_LIST)
    }
  })
}

function writeMap(dumper: Dumper, map: PythonMap): void {
  if (map.pairs.length === 0) {
    writeEmpty(dumper.writer, '{', '}')
    return
  }
  indented(dumper.writer, 'block', () => {
    for (const pair of map.pairs) writePair(dumper, pair)
  })
}

function writePair(dumper: Dumper, {key, value}: PythonPair): void {
  const {writer} = dumper
  writeIndent(writer)
  if (isSimpleKey(dumper, key)) {
    writeNode(dumper, key, SIMPLE_KEY)
    writeIndicator(writer, ':', {spaced: false})
  } else {
    writeIndicator(writer, '?', {spaced: true, indention: true})
    writeNode(dumper, key, IN_MAP)
    writeIndent(writer)
    writeIndicator(writer, ':', {spaced: true, indention: true})
  }
  writeNode(dumper, value, IN_MAP)
}

function writeEmpty(writer: Writer, open: string, close: string): void {
  writeIndicator(writer, open, {spaced: true, whitespace: true})
  writeIndicator(writer, close, {spaced: false})
}

/**
 * Returns true if a key can be written before `:` without `?`. The length includes the tag although the tag
 * is not written (PyYAML 6: emitter.py check_simple_key).
 */
function isSimpleKey(dumper: Dumper, key: PythonScalar): boolean {
  const anchor = dumper.anchors.get(key)
  if (anchor !== undefined && dumper.written.has(key)) return true
  const {empty, multiline} = analyze(key.text)
  if (empty || multiline) return false
  const length = (anchor?.length ?? 0) + `!!${key.type}`.length + key.text.length
  return length < 128 || (anchor?.length ?? 0) + `!!${key.type}`.length + Array.from(key.text).length < 128
}

/** Returns the number of anchors in the output of a map. */
export function countAnchors(root: PythonMap): number {
  return collectAnchors(root).size
}

/**
 * Returns the anchor names of objects that a tree contains more than once, in the order of their second
 * occurrence. PyYAML 6: serializer.py anchor_node; strings and numbers have no identity there.
 */
function collectAnchors(root: PythonNode, before = 0): ReadonlyMap<PythonNode, string> {
  const visited = new Set<PythonNode>()
  const anchors = new Map<PythonNode, string>()
  const visit = (node: PythonNode): void => {
    if (node.kind === 'scalar' && node.type !== 'timestamp') return
    if (visited.has(node)) {
      if (!anchors.has(node)) anchors.set(node, `id${String(before + anchors.size + 1).padStart(3, '0')}`)
      return
    }
    visited.add(node)
    if (node.kind === 'list') for (const item of node.items) visit(item)
    if (node.kind !== 'map') return
    for (const {key, value} of node.pairs) {
      visit(key)
      visit(value)
    }
  }
  visit(root)
  return anchors
}

/** The position of a scalar in the document. */
interface ScalarPlace {
  /** Whether the scalar is a key with `:` on the same line. */
  readonly simpleKey: boolean
  /** Whether the scalar is inside braces or brackets, in which more characters are indicators. */
  readonly flow: boolean
}

const FLOW_INDICATOR = /[,?[\]{}:]/

/**
 * Writes a scalar in the style that PyYAML 6 chooses (emitter.py choose_scalar_style). Also quotes words that
 * only Helm reads as something other than a string.
 */
function writeScalar(writer: Writer, scalar: PythonScalar, {simpleKey, flow}: ScalarPlace): void {
  indented(writer, 'flow', () => {
    const {text} = scalar
    if (scalar.type === 'binary') {
      writeIndicator(writer, '!!binary', {spaced: true})
      if (text === '') writeDoubleQuoted(writer, text, !simpleKey)
      else writeLiteral(writer, text)
      return
    }
    const analysis = analyze(text)
    const bare = scalar.bare || (pythonWord(text) === undefined && resolveWord(text) === undefined)
    const plain = analysis.plain && !(flow && (analysis.empty || FLOW_INDICATOR.test(text)))
    if (bare && plain && !(simpleKey && analysis.empty)) writePlain(writer, text, !simpleKey)
    else if (analysis.single && !(simpleKey && analysis.multiline))
      writeSingleQuoted(writer, text, !simpleKey)
    else writeDoubleQuoted(writer, text, !simpleKey)
  })
}

/** A collection that contains only scalars. `default_flow_style=None` writes it on one line. */
type Innermost =
  | (PythonList & {readonly items: readonly PythonScalar[]})
  | (PythonMap & {readonly pairs: readonly {readonly key: PythonScalar; readonly value: PythonScalar}[]})

/**
 * Returns true for a collection of inline scalars (PyYAML 6: representer.py represent_sequence and
 * represent_mapping). Binary data is always written as a block.
 */
function isInnermost(node: PythonNode): node is Innermost {
  if (node.kind === 'list') return node.items.every(isInline)
  return node.kind === 'map' && node.pairs.every(({key, value}) => isInline(key) && isInline(value))
}

function isInline(node: PythonNode): node is PythonScalar {
  return node.kind === 'scalar' && node.type !== 'binary'
}

interface FlowParts {
  readonly writeKey: (key: PythonScalar) => void
  readonly writeValue: (value: PythonScalar) => void
  readonly isSimpleKey: (key: PythonScalar) => boolean
}

/** Writes a collection on one line (PyYAML 6: emitter.py expect_flow_sequence and expect_flow_mapping). */
function writeFlow(writer: Writer, node: Innermost, parts: FlowParts): void {
  const [open, close] = node.kind === 'list' ? ['[', ']'] : ['{', '}']
  writeIndicator(writer, open!, {spaced: true, whitespace: true})
  indented(writer, 'flow', () => {
    if (node.kind === 'list') {
      writeItems(writer, node.items, parts.writeValue)
      return
    }
    writeItems(writer, node.pairs, ({key, value}) => {
      writeFlowKey(writer, key, parts)
      parts.writeValue(value)
    })
  })
  writeIndicator(writer, close!, {spaced: false})
}

function writeItems<T>(writer: Writer, items: readonly T[], write: (item: T) => void): void {
  for (const [index, item] of items.entries()) {
    if (index > 0) writeIndicator(writer, ',', {spaced: false})
    if (writer.column > WIDTH) writeIndent(writer)
    write(item)
  }
}

function writeFlowKey(writer: Writer, key: PythonScalar, parts: FlowParts): void {
  const simple = parts.isSimpleKey(key)
  if (!simple) writeIndicator(writer, '?', {spaced: true})
  if (simple) parts.writeKey(key)
  else parts.writeValue(key)
  if (!simple && writer.column > WIDTH) writeIndent(writer)
  writeIndicator(writer, ':', {spaced: !simple})
}

/** The styles in which PyYAML may write a string. */
interface Analysis {
  readonly empty: boolean
  readonly multiline: boolean
  readonly plain: boolean
  readonly single: boolean
  readonly block: boolean
}

const SIMPLE: Analysis = {empty: false, multiline: false, plain: true, single: true, block: true}
const EMPTY: Analysis = {empty: true, multiline: false, plain: true, single: true, block: false}

/** The pattern of most keys and values, which need no further analysis. */
const ORDINARY = /^(?!\.\.\.)[A-Za-z0-9_./][A-Za-z0-9_./-]*$/
/**
 * Characters other than line feeds and printable ASCII. They are escaped, as PyYAML does without
 * `allow_unicode`.
 */
const SPECIAL = /[^\n\x20-\x7e]/
const LEADING_INDICATOR = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[-?:](?:[ \n]|$))/
const INNER_INDICATOR = /:(?:[ \n]|$)|[ \n]#/

/** Returns the possible styles of a string in block context (PyYAML 6: emitter.py analyze_scalar). */
function analyze(text: string): Analysis {
  if (text === '') return EMPTY
  if (ORDINARY.test(text)) return SIMPLE
  const multiline = /[\n\u0085\u2028\u2029]/.test(text)
  const spaceBreak = / \n/.test(text) || SPECIAL.test(text)
  const breakSpace = /\n /.test(text)
  const edges = /^[ \n]|[ \n]$/.test(text)
  const indicators = LEADING_INDICATOR.test(text) || INNER_INDICATOR.test(text)
  return {
    empty: false,
    multiline,
    plain: !(multiline || spaceBreak || breakSpace || edges || indicators),
    single: !(breakSpace || spaceBreak),
    block: !(spaceBreak || text.endsWith(' ')),
  }
}

/** Returns values as Python would hold them. Each node is a separate object, so there are no anchors. */
export function plainMap(values: Values): PythonMap {
  const entries = Object.entries(values).map(([name, value]): [string, PythonPair] => [
    name,
    {key: text(name), value: plainNode(value)},
  ])
  return pythonMap(new Map(entries))
}

function plainNode(value: unknown): PythonNode {
  if (value === null || value === undefined) return word('null', 'null')
  if (Array.isArray(value)) return {kind: 'list', items: value.map(plainNode)}
  if (typeof value === 'object') return plainMap(value as Values)
  if (typeof value === 'boolean') return word('bool', String(value))
  if (typeof value === 'bigint') return word('int', String(value))
  if (typeof value === 'number') return number(value)
  return text(String(value))
}

/**
 * Returns a number as Python's int or float. Helm has one type of number: here, a number without fraction is
 * an int within the range in which Helm reads integers.
 */
function number(value: number): PythonScalar {
  const isInteger = Number.isInteger(value) && Math.abs(value) < 2 ** 63 && !Object.is(value, -0)
  return isInteger ? word('int', String(BigInt(value))) : word('float', pythonFloat(value))
}

function word(type: PythonScalar['type'], written: string): PythonScalar {
  return {kind: 'scalar', type, text: written, bare: true}
}

function text(value: string): PythonScalar {
  return {kind: 'scalar', type: 'str', text: value, bare: false}
}
