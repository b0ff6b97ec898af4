import type {OverriddenChart} from '../../overrides/service.ts'
import {textWidth} from '../text/width.ts'

/** Properties as `system helm-override-show` prints them: sorted by name; of none, an empty cell. */
export function propertyTable(properties: Readonly<Record<string, string>>): string {
  const rows = Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return prettyTable([['Property', 'Value'], ...rows])
}

/** Charts as `system helm-override-list` prints them, with namespaces as Python 2 writes a list of texts. */
export function chartTable(charts: readonly OverriddenChart[]): string {
  const rows = charts.map(({name, namespaces}) => [
    name,
    `[${namespaces.map((namespace) => `u'${namespace}'`).join(', ')}]`,
  ])
  return prettyTable([['chart name', 'overrides namespaces'], ...rows])
}

/** What `system helm-override-delete` prints. */
export function deletedText(name: string, namespace: string): string {
  return `Deleted chart overrides for ${name}:${namespace}\n`
}

/**
 * A table as Python's PrettyTable prints it, everything at the left: one frame, the first row as its head. A cell of
 * several lines takes as many rows; the line after a final line feed is empty, and stands there, too.
 */
export function prettyTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.split('\n')))
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => Math.max(...row[column]!.map(textWidth)))),
  )
  const frame = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`
  const [head = [], ...body] = cells
  const lines = [
    frame,
    ...rowLines(head, widths),
    frame,
    ...body.flatMap((row) => rowLines(row, widths)),
    frame,
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function rowLines(row: readonly (readonly string[])[], widths: readonly number[]): string[] {
  const height = Math.max(...row.map((lines) => lines.length))
  return Array.from({length: height}, (_, index) => {
    const texts = row.map((lines, column) => padded(lines[index] ?? '', widths[column]!))
    return `| ${texts.join(' | ')} |`
  })
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - textWidth(text))
}
