import {type Part, wrap} from './text/view.ts'
import {textWidth} from './text/width.ts'

type Cell<Row> = (row: Row) => string

export interface Column<Row> {
  readonly cell: Cell<Row>
  readonly align?: 'right'
  /** Never breaks a cell between words, which the other columns do on a narrow terminal. */
  readonly whole?: true
}

/** The columns of a table by their heads. A cell may hold colours and several lines. */
export type HeadedColumns<Row> = Readonly<Record<string, Cell<Row> | Column<Row>>>

/** The columns of a table by their heads, or without heads. */
export type Columns<Row> = HeadedColumns<Row> | readonly (Cell<Row> | Column<Row>)[]

interface TableOptions<Row> {
  readonly indent?: string
  readonly headColour?: (head: string) => string
  /** Returns the lines across all columns that follow a row. */
  readonly below?: (row: Row) => readonly string[]
}

/**
 * Returns rows in aligned columns without borders. On a narrow terminal the widest cells are wrapped within
 * their columns, then the last columns are omitted and named below. Without heads to name them by, the rows
 * become wrapped lines.
 */
export function table<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  {indent = '', headColour = String, below = () => []}: TableOptions<Row> = {},
): Part {
  const all = Object.values<Cell<Row> | Column<Row>>(columns).map((column) =>
    typeof column === 'function' ? {cell: column} : column,
  )
  const heads = Array.isArray(columns) ? [] : Object.keys(columns)
  const head = heads.length === 0 ? [] : [heads.map(headColour)]
  const body = rows.map((row) => all.map(({cell}) => cell(row)))
  return (room) => {
    const fit = fitWidths([...head, ...body], all, room - indent.length)
    const omitted = heads.slice(fit.widths.length)
    const isTable = fit.widths.length === all.length || (heads.length > 0 && fit.widths.length > 1)
    const lines = (cells: Cells) =>
      isTable
        ? rowLines(cells, all, fit).map((line) => indent + line)
        : wrap(indent + cells.filter(Boolean).join('  ').replaceAll('\n', '  '), room)
    return [
      ...head.flatMap(lines),
      ...rows.flatMap((row, at) => [...lines(body[at]!), ...below(row).flatMap((line) => wrap(line, room))]),
      ...(isTable && omitted.length > 0 ? [`(too narrow for: ${omitted.join(', ')})`] : []),
    ]
  }
}

/** The heads and the cells of a table, for a view that is not of lines. */
export interface Sheet {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Returns the cells of rows in columns with heads. */
export function sheet<Row>(rows: readonly Row[], columns: HeadedColumns<Row>): Sheet {
  const cells = Object.values(columns).map((column) => (typeof column === 'function' ? column : column.cell))
  return {heads: Object.keys(columns), rows: rows.map((row) => cells.map((cell) => cell(row)))}
}

/** Returns rows in columns that are indented by two. */
export function list<Row>(rows: readonly Row[], columns: Columns<Row>): Part {
  return table(rows, columns, {indent: '  '})
}

export type Pair = readonly [name: string, value: string]

/** Returns names with their values in two columns. */
export function pairs(rows: readonly Pair[], options: TableOptions<Pair> = {}): Part {
  return table(rows, [([name]) => name, ([, value]) => value], options)
}

type Cells = readonly string[]
type Layout = readonly Pick<Column<never>, 'align' | 'whole'>[]

interface Fit {
  /** The widths of the columns that fit, the first ones. */
  readonly widths: readonly number[]
  /** The blanks between two columns. */
  readonly gap: string
}

function fitWidths(rows: readonly Cells[], columns: Layout, room: number): Fit {
  const natural = columns.map((_, at) => widest(rows, at, '\n'))
  if (sum(natural) + 2 * (columns.length - 1) <= room) return {widths: natural, gap: '  '}
  const least = columns.map(({whole}, at) => (whole ? natural[at]! : widest(rows, at, /[ \n]/)))
  const space = (count: number, gap: string) => room - gap.length * (count - 1)
  const gap = sum(least) <= space(columns.length, '  ') ? '  ' : ' '
  let count = columns.length
  while (count > 0 && sum(least.slice(0, count)) > space(count, gap)) count--
  return {widths: narrowed(natural.slice(0, count), least, space(count, gap)), gap}
}

function widest(rows: readonly Cells[], at: number, separator: string | RegExp): number {
  return Math.max(0, ...rows.flatMap((cells) => cells[at]!.split(separator).map(textWidth)))
}

/** Returns the widths reduced to the space, one column at a time from the widest that can be narrower. */
function narrowed(natural: readonly number[], least: readonly number[], space: number): readonly number[] {
  const widths = [...natural]
  for (let over = sum(widths) - space; over > 0; over--) {
    const wide = widths.map((width, at) => (width > least[at]! ? width : 0))
    widths[wide.indexOf(Math.max(...wide))]!--
  }
  return widths
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function rowLines(cells: Cells, columns: Layout, {widths, gap}: Fit): readonly string[] {
  const blocks = widths.map((width, at) => cells[at]!.split('\n').flatMap((line) => wrap(line, width, 0)))
  const height = Math.max(...blocks.map(({length}) => length))
  return Array.from({length: height}, (_, line) => {
    const parts = widths.map((width, at) => {
      const text = blocks[at]![line] ?? ''
      const space = ' '.repeat(Math.max(0, width - textWidth(text)))
      return columns[at]!.align === 'right' ? space + text : text + space
    })
    return parts.join(gap).trimEnd()
  })
}
