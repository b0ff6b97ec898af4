import {ERRORS, EXIT_CODES} from '../../src/errors.ts'
import {markdownTable} from './marked.ts'

export function exitCodeTable(): string {
  return markdownTable(
    ['exit code', 'meaning'],
    Object.entries(EXIT_CODES).map(([code, meaning]) => [code, meaning]),
  )
}

export function errorCodeTable(): string {
  const rows = Object.entries(ERRORS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, {exit, meaning}]) => [`\`${code}\``, String(exit), meaning])
  return markdownTable(['code', 'exit', 'meaning'], rows)
}
