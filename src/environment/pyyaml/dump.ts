import {resolveWord} from '../../helm/yaml/word.ts'
import {analyze} from './analysis.ts'
import {anchorsOf} from './anchors.ts'
import type {PythonList, PythonMap, PythonNode, PythonPair, PythonScalar} from './node.ts'
import {writeDoubleQuoted, writeLiteral, writePlain, writeSingleQuoted} from './scalar.ts'
import {pythonWord} from './word.ts'
import {indented, newWriter, type Writer, writeIndent, writeIndicator} from './writer.ts'

interface Dumper {
  readonly writer: Writer
  readonly anchors: ReadonlyMap<PythonNode, string>
  readonly written: Set<PythonNode>
}

interface Context {
  /** Directly in a map, as a key or a value. */
  readonly inMap: boolean
  /** A key that is followed by `:` in the same line. */
  readonly simpleKey: boolean
}

const IN_LIST: Context = {inMap: false, simpleKey: false}
const IN_MAP: Context = {inMap: true, simpleKey: false}
const SIMPLE_KEY: Context = {inMap: true, simpleKey: true}

/**
 * Writes a map as PyYAML's `yaml.dump(map, default_flow_style=False)` does, byte for byte, with one exception:
 * a string that PyYAML leaves bare and Helm would take for a number or a boolean ("y", "1e3", "08") gets quotes.
 */
export function dumpPython(root: PythonMap): string {
  const dumper: Dumper = {writer: newWriter(), anchors: anchorsOf(root), written: new Set()}
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
  else if (node.kind === 'list') writeList(dumper, node, context)
  else writeMap(dumper, node)
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

function writeScalar(writer: Writer, scalar: PythonScalar, {simpleKey}: Context): void {
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
    if (bare && analysis.plain && !(simpleKey && analysis.empty)) writePlain(writer, text, !simpleKey)
    else if (analysis.single && !(simpleKey && analysis.multiline))
      writeSingleQuoted(writer, text, !simpleKey)
    else writeDoubleQuoted(writer, text, !simpleKey)
  })
}
