import {type Part, wrap} from './text/view.ts'
import {textWidth} from './text/width.ts'

/** A column of a table. A cell may hold colours and several lines. */
export interface Column<Row> {
  readonly head?: string
  readonly cell: (row: Row) => string
  readonly align?: 'right'
  /** Never breaks a cell between words, which the other columns do on a narrow terminal. */
  readonly whole?: true
}

export interface TableOptions<Row> {
  readonly indent?: string
  /** The colour of the heads. */
  readonly headColour?: (head: string) => string
  /** Lines across all columns that follow a row. */
  readonly below?: (row: Row) => readonly string[]
}

/**
 * Returns rows in aligned columns without borders. On a terminal that is too narrow the widest cells are wrapped within their
 * columns, then the last columns are omitted and named below. Without heads, which they are named by, rows become lines.
 */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  {indent = '', headColour = String, below = () => []}: TableOptions<Row> = {},
): Part {
  const heads = columns.map(({head = ''}) => headColour(head))
  const head = columns.some((column) => column.head !== undefined) ? [heads] : []
  const cells = rows.map((row) => columns.map(({cell}) => cell(row)))
  return (room) => {
    const {lines, omitted} = layout([...head, ...cells], columns, {indent, room, canOmit: head.length > 0})
    const blocks = lines.map((block, at) => {
      const row = rows[at - head.length]
      return row === undefined ? block : [...block, ...below(row).flatMap((line) => wrap(line, room))]
    })
    const names = columns.slice(columns.length - omitted).map((column) => column.head)
    return [...blocks.flat(), ...(omitted === 0 ? [] : [`(too narrow for: ${names.join(', ')})`])]
  }
}

type Pair = readonly [name: string, value: string]

/** Returns names with their values in two columns. */
export function pairs(rows: readonly Pair[], options: TableOptions<Pair> = {}): Part {
  return table(rows, [{cell: ([name]) => name}, {cell: ([, value]) => value}], options)
}

type Cells = readonly string[]

/** The number of blanks between two columns. */
const GAP = 2

/** Returns the lines of each row, and how many of the last columns are omitted. */
function layout(
  rows: readonly Cells[],
  columns: readonly Pick<Column<never>, 'align' | 'whole'>[],
  {indent, room, canOmit}: {readonly indent: string; readonly room: number; readonly canOmit: boolean},
): {readonly lines: readonly (readonly string[])[]; readonly omitted: number} {
  const natural = columns.map((_, at) => widest(rows, at, '\n'))
  const least = columns.map(({whole}, at) => (whole ? natural[at]! : widest(rows, at, /[ \n]/)))
  const space = (count: number, gap: number) => room - indent.length - gap * (count - 1)
  const gap = sum(least) <= space(columns.length, GAP) ? GAP : 1
  let count = columns.length
  while (count > 0 && sum(least.slice(0, count)) > space(count, gap)) count--
  const omitted = columns.length - count
  if (omitted > 0 && (!canOmit || count < 2)) {
    const text = (row: Cells) => row.flatMap((cell) => (cell === '' ? [] : cell.split('\n'))).join('  ')
    return {lines: rows.map((row) => wrap(indent + text(row), room)), omitted: 0}
  }
  const widths = narrowed(natural.slice(0, count), least, space(count, gap))
  const lines = rows.map((row) => {
    const blocks = widths.map((width, at) =>
      row[at]!.split('\n')
        .flatMap((line) => wrap(line, width, 0))
        .map((line) => aligned(line, width, columns[at]!.align)),
    )
    const height = Math.max(...blocks.map(({length}) => length))
    return Array.from({length: height}, (_, line) => {
      const parts = blocks.map((block, at) => block[line] ?? ' '.repeat(widths[at]!))
      return (indent + parts.join(' '.repeat(gap))).trimEnd()
    })
  })
  return {lines, omitted}
}

function widest(rows: readonly Cells[], at: number, separator: string | RegExp): number {
  return Math.max(0, ...rows.flatMap((row) => row[at]!.split(separator).map(textWidth)))
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

function aligned(text: string, width: number, align: Column<never>['align']): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'right' ? space + text : text + space
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
