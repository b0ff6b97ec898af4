import type {PythonList, PythonMap, PythonNode, PythonScalar} from './node.ts'
import {indented, WIDTH, type Writer, writeIndent, writeIndicator} from './writer.ts'

/** A collection that holds nothing but scalars, which `default_flow_style=None` writes in one line. */
export type Innermost =
  | (PythonList & {readonly items: readonly PythonScalar[]})
  | (PythonMap & {readonly pairs: readonly {readonly key: PythonScalar; readonly value: PythonScalar}[]})

/** PyYAML 6: representer.py represent_sequence and represent_mapping; binary data are blocks of their own. */
export function isInnermost(node: PythonNode): node is Innermost {
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

/** PyYAML 6: emitter.py expect_flow_sequence and expect_flow_mapping. */
export function writeFlow(writer: Writer, node: Innermost, parts: FlowParts): void {
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
