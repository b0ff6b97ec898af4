import type {ExplainedKey, Statement} from '../../overrides/explain.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {plainLine} from '../text/plain.ts'
import {shorten} from '../text/width.ts'

/** The most columns that a value takes. */
const WIDEST = 40

/** Returns one line per key: its value, the layer that won and its place, and the values that lost. */
export function explainedLines(keys: readonly ExplainedKey[], palette: Palette): readonly string[] {
  return table(
    keys.map(({path, value, winner, lost}) => [
      keyText(path),
      palette.strong(valueText(value)),
      layerText(winner, palette),
      placeText(winner),
      palette.quiet(lost.map(({layer, value}) => `${layer} ${valueText(value)}`).join(', ')),
    ]),
  )
}

/**
 * Returns a block per key: the layers that state it, from the strongest to the weakest, with the one that won marked.
 */
export function explainedBlocks(keys: readonly ExplainedKey[], palette: Palette): readonly string[] {
  const blocks = keys.map(({path, value, winner, lost}) => {
    const rows = [winner, ...lost].map((each) => {
      const isWinner = each === winner
      const cells = [
        isWinner ? '→' : ' ',
        layerText(each, palette),
        valueText(each ? each.value : value),
        placeText(each),
      ]
      return isWinner ? cells : cells.map((cell) => palette.quiet(cell))
    })
    return [`${palette.strong(keyText(path))}: ${valueText(value)}`, ...table(rows, {indent: '  '})]
  })
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/** Returns explained keys as a document for programs. */
export function explainedDocument(release: string, keys: readonly ExplainedKey[]): object {
  return {release, keys: keys.map(explainedKeyDocument)}
}

export function explainedKeyDocument({path, value, winner, lost}: ExplainedKey): object {
  return {
    key: keyText(path),
    path,
    ...(value !== undefined && {value}),
    removed: value === undefined,
    winner: winner ? statementDocument(winner) : {layer: 'helm'},
    lost: lost.map(statementDocument),
  }
}

function statementDocument({layer, source, position, value}: Statement): object {
  return {
    layer,
    source,
    ...(position && {file: position.file, line: position.line, column: position.column}),
    value,
  }
}

/** Returns a path as `--set` reads it: `pod.replicas.api`, with a backslash before a dot in a key. */
export function keyText(path: readonly string[]): string {
  return path.map((name) => plainLine(name.replaceAll(/[\\.]/g, '\\$&'))).join('.')
}

function valueText(value: unknown): string {
  return value === undefined ? '(removed)' : shorten(plainLine(JSON.stringify(value)), WIDEST)
}

/** Returns the layer of a statement. Without one, helm computed the value, for example for a subchart. */
function layerText(statement: Statement | undefined, palette: Palette): string {
  if (!statement) return palette.change('helm')
  return statement.layer === 'defaults' ? 'defaults' : palette.accent(statement.layer)
}

function placeText(statement: Statement | undefined): string {
  if (!statement) return 'computed'
  const {position, source} = statement
  return plainLine(position ? `${position.file}:${position.line}:${position.column}` : source)
}
