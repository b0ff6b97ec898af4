import {textWidth} from './width.ts'

/** A cell that begins right of this share of the columns leaves too little room below it. */
const ROOM = 0.6
const FRAME = /^[+|]/

/**
 * The text with every line in at most `columns` columns, broken between words; colours may stand in it. What goes on stands
 * below where the last cell of a table begins, if that leaves room, else a little to the right of where the line began. A
 * word is never broken: one that is longer than a whole line stays longer. Tables with a frame are left as they are.
 */
export function fitted(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (textWidth(line) <= columns || FRAME.test(line) ? line : fittedLine(line, columns)))
    .join('\n')
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
  /** How many spaces stand before it, and the column where it begins. */
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

/** Cells of a table stand two spaces apart. */
function hangingIndent(words: readonly Word[], columns: number): number {
  const cell = words.findLast(({before, at}, index) => index > 0 && before >= 2 && at <= columns * ROOM)
  return cell?.at ?? words[0]!.at + 2
}
