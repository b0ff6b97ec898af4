import {textWidth} from './text/width.ts'

export interface TableOptions {
  /** The indices of right-aligned columns. */
  readonly right?: readonly number[]
  readonly indent?: string
}

/** Returns rows as lines with aligned columns, two spaces apart, without borders. A cell may hold colours. */
export function table(
  rows: readonly (readonly string[])[],
  {right = [], indent = ''}: TableOptions = {},
): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell))
    }
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const space = ' '.repeat((widths[column] ?? 0) - textWidth(cell))
      return right.includes(column) ? space + cell : cell + space
    })
    return (indent + cells.join('  ')).trimEnd()
  })
}
