import {readFileSync} from 'node:fs'
import {join} from 'node:path'

const FILE = join(import.meta.dirname, '../fixtures/overrides/document.txt')

/**
 * What the document shows after `$ system COMMAND`, from column 0. Its one slip of the pen is corrected: the
 * chart is called gnocchi, which fits into the column.
 */
export function shownAfter(command: string): string {
  const lines = readFileSync(FILE, 'utf8').split('\n')
  const start = lines.findIndex((line) => line.trim().startsWith(`$ system ${command}`))
  if (start < 0) throw new Error(`the document does not show ${command}`)
  let first = start + 1
  while (lines[first - 1]!.endsWith('\\')) first += 1
  const end = lines.findIndex((line, index) => index >= first && line === '')
  return lines
    .slice(first, end)
    .map((line) => `${line.trimStart().replace(/gnocci {2}/, 'gnocchi ')}\n`)
    .join('')
}

/** The JSON example that starts with this text, as it stands there. */
export function jsonExample(start: string): string {
  const text = readFileSync(FILE, 'utf8')
  const from = text.indexOf(start)
  if (from < 0) throw new Error(`the document has no example ${start}`)
  return text.slice(from, text.indexOf('\n\n', from)).trim()
}
