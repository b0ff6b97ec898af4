import {stripVTControlCharacters} from 'node:util'

// Text of child programs and clusters goes to a terminal, where it must not move the cursor or change
// colours.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be found
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Returns foreign text on one line, without control characters that a terminal would obey. */
export function plainLine(text: string): string {
  return plainLines(text).join(' ')
}

/** Returns the non-empty lines of foreign text, without control characters that a terminal would obey. */
export function plainLines(text: string): readonly string[] {
  return stripVTControlCharacters(text)
    .split(/\r\n|\n|\r/u)
    .map((line) => line.replaceAll('\t', '  ').replaceAll(CONTROL, '').trimEnd())
    .filter((line) => line !== '')
}
