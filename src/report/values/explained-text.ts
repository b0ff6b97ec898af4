import type {ExplainedKey, Statement} from '../../overrides/explain.ts'
import type {Palette} from '../colour.ts'
import {list, table} from '../table.ts'
import {plainLine} from '../text/plain.ts'
import {blocks, type View} from '../text/view.ts'
import {shorten} from '../text/width.ts'

/** The maximum width of a value, in columns. */
const MAX_VALUE_COLUMNS = 40

/** Returns one row per key: its value, the layer that won and its place, and the values that lost. */
export function explainedLines(keys: readonly ExplainedKey[], palette: Palette): View {
  return table(keys, [
    ({path}) => keyText(path),
    ({value}) => palette.strong(valueText(value)),
    ({winner}) => layerText(winner, palette),
    ({winner}) => placeText(winner),
    ({lost}) => palette.quiet(lost.map(({layer, value}) => `${layer} ${valueText(value)}`).join(', ')),
  ])
}

/**
 * Returns a block per key: the layers that state it, from the strongest to the weakest, with the one that won
 * marked.
 */
export function explainedBlocks(keys: readonly ExplainedKey[], palette: Palette): View {
  return blocks(
    keys.map(({path, value, winner, lost}) => {
      const colour = (each: Statement | undefined) => (each === winner ? String : palette.quiet)
      const title = `${palette.strong(keyText(path))}: ${valueText(value)}`
      const rows = list(
        [winner, ...lost],
        [
          (each) => (each === winner ? '→' : ' '),
          (each) => colour(each)(layerText(each, palette)),
          (each) => colour(each)(valueText(each ? each.value : value)),
          (each) => colour(each)(placeText(each)),
        ],
      )
      return [title, rows]
    }),
  )
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
  return value === undefined ? '(removed)' : shorten(plainLine(JSON.stringify(value)), MAX_VALUE_COLUMNS)
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
