import {stripVTControlCharacters} from 'node:util'
import {textWidth} from './width.ts'

/**
 * The share of the columns up to which a line may go on below its last cell; further right there is too little room.
 */
const ROOM = 0.6
const FRAME = /^[+|]/
/** The least number of blanks between the cells of a table. */
const GAP = 2
const HEADING = /^[a-z ]+$/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOUR = /\u001b\[[\d;]*m/g

/**
 * Returns the text with every line in at most `columns` columns, broken between words; it may hold colours. The cells
 * of a table are broken within their columns. Another line goes on below the start of its last cell if that leaves
 * room, else a little to the right of its own start. A word is never broken: one that is longer than a whole line stays
 * longer. Tables with a frame are left as they are.
 */
export function fitted(text: string, columns: number): string {
  return blocksOf(text.split('\n'))
    .flatMap((block) => fittedBlock(block, columns))
    .join('\n')
}

function fittedBlock(block: readonly Line[], columns: number): readonly string[] {
  const lines = block.map(({text}) => text)
  if (lines.every((line) => textWidth(line) <= columns)) return lines
  const rows = block.filter(({cells}) => cells.length > 1)
  // A row below headings may have a single cell.
  const isTable = rows.length > 1 || (rows[0] === block[0] && block.length > 1)
  const table = isTable ? fittedTable(block, columns) : undefined
  if (table) return table
  return lines.map((line) =>
    textWidth(line) <= columns || FRAME.test(line) ? line : fittedLine(line, columns),
  )
}

interface Cell {
  readonly text: string
  readonly words: readonly Word[]
  /** The columns that it takes, from the first to before the last. */
  readonly at: number
  readonly end: number
}

interface Line {
  readonly text: string
  readonly cells: readonly Cell[]
}

/** Returns the blocks of consecutive lines that may be one table: no line has two cells in one column. */
function blocksOf(lines: readonly string[]): readonly (readonly Line[])[] {
  const blocks: Line[][] = []
  let extents: readonly Extent[] = []
  for (const text of lines) {
    const line = {text, cells: FRAME.test(text) ? [] : cellsOf(text)}
    const block = blocks.at(-1)
    const joined = joinedExtents([...extents, ...line.cells])
    const belongs =
      block?.at(-1)?.cells.length &&
      line.cells.length > 0 &&
      [...block, line].every(({cells}) => isOneEach(cells, joined))
    if (belongs) block.push(line)
    else blocks.push([line])
    extents = belongs ? joined : line.cells
  }
  return blocks
}

type Extent = Pick<Cell, 'at' | 'end'>

/** Returns the columns of a table: the ranges that two blanks or more separate in all of its lines. */
function joinedExtents(cells: readonly Extent[]): readonly Extent[] {
  const joined: {at: number; end: number}[] = []
  for (const {at, end} of cells.toSorted((a, b) => a.at - b.at)) {
    const last = joined.at(-1)
    if (last && at < last.end + GAP) last.end = Math.max(last.end, end)
    else joined.push({at, end})
  }
  return joined
}

function isOneEach(cells: readonly Cell[], columns: readonly Extent[]): boolean {
  return columns.every((column) => cells.filter((cell) => isWithin(cell, column)).length <= 1)
}

const isWithin = (cell: Extent, column: Extent) => cell.at >= column.at && cell.end <= column.end

function cellsOf(line: string): readonly Cell[] {
  const cells: Word[][] = []
  for (const word of wordsOf(line)) {
    const last = cells.at(-1)
    if (last && word.before < GAP) last.push(word)
    else cells.push([word])
  }
  return cells.map((words) => {
    const {at, width} = words.at(-1)!
    return {text: words.map(({text}) => text).join(' '), words, at: words[0]!.at, end: at + width}
  })
}

/**
 * Returns the lines of a table whose widest cells go on below themselves. Where its longest words are too wide even
 * with one blank between the columns, its last columns are left out and named. Returns undefined where they cannot be
 * named, for the table has no headings.
 */
function fittedTable(block: readonly Line[], columns: number): readonly string[] | undefined {
  const extents = joinedExtents(block.flatMap(({cells}) => cells))
  const rows = block.map(({cells}) => extents.map((extent) => cells.find((cell) => isWithin(cell, extent))))
  const least = extents.map((_, index) => Math.max(...rows.map((row) => longestWord(row[index]))))
  const indent = extents[0]!.at
  let count = extents.length
  let gap = GAP
  const room = () => columns - indent - gap * (count - 1)
  const isTooWide = () => sum(least.slice(0, count)) > room()
  if (isTooWide()) gap = 1
  while (count > 0 && isTooWide()) count--
  const headings = rows[0]!.map((cell) => (cell ? stripVTControlCharacters(cell.text) : ''))
  if (count < extents.length && (count < 2 || !headings.every((each) => HEADING.test(each)))) return undefined
  const natural = extents.slice(0, count).map(({at, end}) => end - at)
  const widths = shrunk(natural, least, room())
  const lines = rows.flatMap((row) => rowLines(row, {extents, natural, widths, indent, gap}))
  const left = headings.slice(count)
  return left.length === 0 ? lines : [...lines, `(too narrow for: ${left.join(', ')})`]
}

const longestWord = (cell: Cell | undefined) => Math.max(0, ...(cell?.words ?? []).map(({width}) => width))

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** Returns the widths reduced to the room, one column at a time from the widest that can be narrower. */
function shrunk(natural: readonly number[], least: readonly number[], room: number): readonly number[] {
  const widths = [...natural]
  for (let over = sum(widths) - room; over > 0; over--) {
    const wide = widths.map((width, index) => (width > least[index]! ? width : 0))
    widths[wide.indexOf(Math.max(...wide))]!--
  }
  return widths
}

interface Layout {
  readonly extents: readonly Extent[]
  /** The widths of the columns before (`natural`) and after the fit (`widths`). */
  readonly natural: readonly number[]
  readonly widths: readonly number[]
  readonly indent: number
  readonly gap: number
}

function rowLines(
  row: readonly (Cell | undefined)[],
  {extents, natural, widths, indent, gap}: Layout,
): readonly string[] {
  const cells = widths.map((width, index) => {
    const cell = row[index]
    if (cell === undefined) return []
    // A number stands at the right edge of its column.
    const shift = width === natural[index] ? cell.at - extents[index]!.at : 0
    return pieces(cell, width).map((piece) => ' '.repeat(shift) + piece)
  })
  const height = Math.max(...cells.map(({length}) => length))
  return Array.from({length: height}, (_, at) => {
    const parts = cells.map((lines, index) => {
      const piece = lines[at] ?? ''
      return piece + ' '.repeat(Math.max(0, widths[index]! - textWidth(piece)))
    })
    return (' '.repeat(indent) + parts.join(' '.repeat(gap))).trimEnd()
  })
}

/** Returns the lines of a cell. Each line ends the colours that it begins, for the next column stands right of it. */
function pieces({words}: Cell, columns: number): readonly string[] {
  const lines: string[] = []
  let width = 0
  for (const {text, width: more} of words) {
    if (lines.length > 0 && width + 1 + more <= columns) {
      lines.push(`${lines.pop()} ${text}`)
      width += 1 + more
      continue
    }
    lines.push(text)
    width = more
  }
  if (lines.length === 1) return lines
  let colours = ''
  return lines.map((line) => {
    const begun = colours
    colours += (line.match(COLOUR) ?? []).join('')
    return colours === '' ? line : `${begun}${line}\u001b[0m`
  })
}

function fittedLine(line: string, columns: number): string {
  const words = wordsOf(line)
  const start = words[0]!.at
  const below = hangingIndent(words, columns)
  const lines: string[] = []
  let current = ''
  let end = 0
  for (const {text, width, before} of words) {
    const isFirst = current === ''
    if (!isFirst && end + before + width > columns) {
      lines.push(current)
      const indent = [below, start + 2, 0].find((each) => each + width <= columns) ?? 0
      current = ' '.repeat(indent) + text
      end = indent + width
      continue
    }
    current += ' '.repeat(before) + text
    end += before + width
  }
  return [...lines, current].join('\n')
}

interface Word {
  readonly text: string
  readonly width: number
  /** The number of spaces before the word, and the column where it begins. */
  readonly before: number
  readonly at: number
}

function wordsOf(line: string): readonly Word[] {
  let at = 0
  return [...line.matchAll(/( *)([^ ]+)/g)].map(([, spaces = '', text = '']) => {
    const width = textWidth(text)
    const word = {text, width, before: spaces.length, at: at + spaces.length}
    at = word.at + width
    return word
  })
}

function hangingIndent(words: readonly Word[], columns: number): number {
  const cell = words.findLast(({before, at}, index) => index > 0 && before >= GAP && at <= columns * ROOM)
  return cell?.at ?? words[0]!.at + 2
}
