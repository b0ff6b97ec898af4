import {isUtf8} from 'node:buffer'
import {KkError} from '../../base/errors.ts'

/**
 * Returns a user's file as a string without byte order mark. Throws `KK_FILE` with the line that is not
 * UTF-8.
 */
export function utf8Text(bytes: Uint8Array, file: string): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes)
  throw new KkError('KK_FILE', `${file}:${brokenLine(bytes)}: expected UTF-8 text, got other bytes`, {
    hint: 'save the file as UTF-8',
  })
}

/**
 * Returns the number of the first line that is not UTF-8. Lines can be tested one by one because no
 * multi-byte character contains the byte of a line break.
 */
function brokenLine(bytes: Uint8Array): number {
  let start = 0
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
  }
}
