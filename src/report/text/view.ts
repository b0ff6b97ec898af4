import {stripVTControlCharacters} from 'node:util'
import {textWidth} from './width.ts'

/** A part of a view: lines that are wrapped, or a function that lays lines out in so many columns. */
export type Part = string | ((columns: number) => readonly string[])

/** Human-readable output before its width is known. It may contain colors. */
export type View = Part | readonly Part[]

/** Returns the text of a view in so many columns, with its last newline; "" for an empty view. */
export function viewText(view: View, columns = Infinity): string {
  const lines = [view]
    .flat()
    .flatMap((part) =>
      typeof part === 'function' ? part(columns) : part.split('\n').flatMap((line) => wrap(line, columns)),
    )
  const text = lines.join('\n')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

/** Returns the non-empty blocks with an empty line between them. */
export function blocks(of: readonly (readonly Part[])[]): readonly Part[] {
  return of.filter(({length}) => length > 0).flatMap((block, at) => (at === 0 ? block : ['', ...block]))
}

/**
 * Returns a line as lines of at most `columns` columns, broken between words. The lines that follow are
 * indented by `hang` columns more than the first. A word is never broken: one that is longer than a whole
 * line stays longer.
 */
export function wrap(line: string, columns: number, hang = 2): readonly string[] {
  if (textWidth(line) <= columns) return [line]
  const indent = stripVTControlCharacters(line).search(/[^ ]/) + hang
  const lines: string[] = []
  for (const [word] of line.matchAll(/ *[^ ]+/g)) {
    const last = lines.pop()
    if (last === undefined || textWidth(last + word) <= columns) {
      lines.push((last ?? '') + word)
      continue
    }
    const next = word.trimStart()
    lines.push(last, ' '.repeat(indent + textWidth(next) <= columns ? indent : 0) + next)
  }
  return withClosedColours(lines)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
const COLOUR = /\u001b\[[\d;]*m/g

/**
 * Returns lines that each end the colors that they begin, because the next column of a table is on the same
 * line.
 */
function withClosedColours(lines: readonly string[]): readonly string[] {
  let colours = ''
  return lines.map((line) => {
    const opened = colours
    colours += (line.match(COLOUR) ?? []).join('')
    return colours === '' ? line : `${opened}${line}\u001b[0m`
  })
}
