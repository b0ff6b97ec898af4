import {analyze} from './analysis.ts'
import {anchorsOf} from './anchors.ts'
import {type Innermost, isInnermost, writeFlow} from './flow.ts'
import type {PythonList, PythonMap, PythonNode, PythonPair, PythonScalar} from './node.ts'
import {type ScalarPlace, writeScalar} from './scalar-style.ts'
import {indented, newWriter, type Writer, writeIndent, writeIndicator} from './writer.ts'

/** PyYAML's `default_flow_style`: False writes blocks everywhere, None the innermost collections in one line. */
export type CollectionStyle = 'block' | 'innermost-flow'

interface Dumper {
  readonly writer: Writer
  readonly style: CollectionStyle
  readonly anchors: ReadonlyMap<PythonNode, string>
  readonly written: Set<PythonNode>
}

interface Context extends ScalarPlace {
  /** Directly in a map, as a key or a value. */
  readonly inMap: boolean
}

const IN_LIST: Context = {inMap: false, simpleKey: false, flow: false}
const IN_MAP: Context = {inMap: true, simpleKey: false, flow: false}
const SIMPLE_KEY: Context = {inMap: true, simpleKey: true, flow: false}
const IN_FLOW: Context = {inMap: false, simpleKey: false, flow: true}
const FLOW_KEY: Context = {inMap: true, simpleKey: true, flow: true}

/**
 * Writes a map as PyYAML's `yaml.dump(map, default_flow_style=False)` does, or `=None`, byte for byte, with one
 * exception: a string that PyYAML leaves bare and Helm would take for a number or a boolean ("y", "1e3", "08") gets
 * quotes.
 */
export function dumpPython(root: PythonMap, style: CollectionStyle = 'block'): string {
  const dumper: Dumper = {writer: newWriter(), style, anchors: anchorsOf(root), written: new Set()}
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

/** PyYAML 6: emitter.py check_simple_key, which counts the tag although it is not written. */
function isSimpleKey(dumper: Dumper, key: PythonScalar): boolean {
  const anchor = dumper.anchors.get(key)
  if (anchor !== undefined && dumper.written.has(key)) return true
  const {empty, multiline} = analyze(key.text)
  if (empty || multiline) return false
  const length = (anchor?.length ?? 0) + `!!${key.type}`.length + key.text.length
  return length < 128 || (anchor?.length ?? 0) + `!!${key.type}`.length + Array.from(key.text).length < 128
}
