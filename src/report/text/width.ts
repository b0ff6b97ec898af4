import {stripVTControlCharacters} from 'node:util'

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/
const NOTHING = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u
/** Unicode's East Asian Width W and F by script, because JavaScript does not have the tables themselves. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul}|\p{sc=Bopomofo}|[\u3001-\u303e\uff01-\uff60\uffe0-\uffe6]/u

/** Returns the number of terminal columns of a string. Colour sequences take none. */
export function textWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length
  const plain = stripVTControlCharacters(text)
  if (PRINTABLE_ASCII.test(plain)) return plain.length
  let width = 0
  for (const {segment} of graphemes(plain)) width += graphemeWidth(segment)
  return width
}

/** Returns a string without colours in at most `columns` columns; if it was cut, it ends with `…`. */
export function shorten(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  if (columns <= 0) return ''
  let width = 0
  let fitting = ''
  for (const {segment} of graphemes(text)) {
    width += graphemeWidth(segment)
    if (width > columns - 1) break
    fitting += segment
  }
  return `${fitting}…`
}

let segmenter: Intl.Segmenter | undefined

/**
 * Returns the graphemes of a string. The segmenter is created on first use, because that takes 10 ms and most
 * commands do not need it.
 */
function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter('en', {granularity: 'grapheme'})
  return segmenter.segment(text)
}

function graphemeWidth(grapheme: string): number {
  if (NOTHING.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}
