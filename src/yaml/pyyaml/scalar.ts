import {WIDTH, type Writer, writeData, writeIndent, writeIndicator, writeLineBreak} from './writer.ts'

/**
 * Writes a one-line string without quotes (PyYAML 6: emitter.py write_plain). `split` allows long lines to be
 * folded at single spaces.
 */
export function writePlain(writer: Writer, text: string, split: boolean): void {
  if (!writer.whitespace) writeData(writer, ' ')
  writer.whitespace = false
  writer.indention = false
  if (!split || writer.column + text.length <= WIDTH) {
    writeData(writer, text)
    return
  }
  for (const run of text.match(/ +|[^ ]+/g) ?? []) {
    if (run !== ' ' || writer.column <= WIDTH) {
      writeData(writer, run)
      continue
    }
    writeIndent(writer)
    writer.whitespace = false
    writer.indention = false
  }
}

/** Writes a string in single quotes (PyYAML 6: emitter.py write_single_quoted). */
export function writeSingleQuoted(writer: Writer, text: string, split: boolean): void {
  writeIndicator(writer, "'", {spaced: true})
  let end = 0
  for (const run of text.match(/ +|\n+|'+|[^ \n']+/g) ?? []) {
    const first = end === 0
    end += run.length
    if (run.startsWith('\n')) writeBreaks(writer, run)
    else if (run.startsWith("'")) writeData(writer, run + run)
    else if (run === ' ' && split && !first && end !== text.length && writer.column > WIDTH)
      writeIndent(writer)
    else writeData(writer, run)
  }
  writeIndicator(writer, "'", {spaced: false})
}

/** Writes one more line break than the run has, because readers fold a single break into a space. */
function writeBreaks(writer: Writer, run: string): void {
  writeLineBreak(writer)
  for (const _ of run) writeLineBreak(writer)
  writeIndent(writer)
}

/**
 * Writes base64 as a literal block (PyYAML 6: emitter.py write_literal). The string has a break after each
 * line.
 */
export function writeLiteral(writer: Writer, text: string): void {
  writeIndicator(writer, '|', {spaced: true})
  writeLineBreak(writer)
  for (const line of text.split('\n').slice(0, -1)) {
    writeIndent(writer)
    writeData(writer, line)
    writeLineBreak(writer)
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\\0'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['\u001b', '\\e'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0085', '\\N'],
  ['\u00a0', '\\_'],
  ['\u2028', '\\L'],
  ['\u2029', '\\P'],
])

/** Escapes a character that is not printable ASCII. PyYAML 6: emitter.py ESCAPE_REPLACEMENTS. */
function escaped(character: string): string {
  const short = ESCAPES.get(character)
  if (short) return short
  const code = character.codePointAt(0) as number
  const digits = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}

/**
 * Writes a string in double quotes (PyYAML 6: emitter.py write_double_quoted). It keeps PyYAML's two indices
 * because the folding depends on them.
 */
export function writeDoubleQuoted(writer: Writer, text: string, split: boolean): void {
  writeIndicator(writer, '"', {spaced: true})
  const characters = Array.from(text)
  let start = 0
  for (let end = 0; end <= characters.length; end += 1) {
    const character = characters[end]
    if (character === undefined || character === '"' || character === '\\' || !/^[ -~]$/.test(character)) {
      if (start < end) writeData(writer, characters.slice(start, end).join(''))
      start = end
      if (character !== undefined) {
        writeData(writer, escaped(character))
        start = end + 1
      }
    }
    const inside = end > 0 && end < characters.length - 1 && (character === ' ' || start >= end)
    if (!inside || !split || writer.column + end - start <= WIDTH) continue
    writeData(writer, `${characters.slice(start, end).join('')}\\`)
    if (start < end) start = end
    writeIndent(writer)
    writer.whitespace = false
    writer.indention = false
    if (characters[start] === ' ') writeData(writer, '\\')
  }
  writeIndicator(writer, '"', {spaced: false})
}
