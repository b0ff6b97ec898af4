import {textWidth} from '../text/width.ts'

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
