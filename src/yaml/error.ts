import type {YAMLException} from 'js-yaml'
import {KkError} from '../base/errors.ts'

/** The string that is being read, and its name in messages. */
export interface Source {
  readonly file: string
  readonly text: string
}

export interface LineColumn {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
}

/** Returns line and column of an offset; `\n`, `\r\n` and a lone `\r` end a line, as in YAML. */
function lineColumn(text: string, offset: number): LineColumn {
  return placesIn(text)(offset)
}

/**
 * Returns a function from offset to line and column, for many lookups: the string is scanned for lines once.
 */
export function placesIn(text: string): (offset: number) => LineColumn {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({index, 0: end}) => index + end.length)]
  return (offset) => {
    let first = 0
    let last = starts.length - 1
    while (first < last) {
      const middle = Math.ceil((first + last) / 2)
      if (starts[middle]! <= offset) first = middle
      else last = middle - 1
    }
    return {line: first + 1, column: offset - starts[first]! + 1}
  }
}

/** Returns `file:line:column` of an offset, as printed in messages. */
export function formatLocation(source: Source, offset: number): string {
  const {line, column} = lineColumn(source.text, offset)
  return `${source.file}:${line}:${column}`
}

/**
 * Returns js-yaml's error message without quoted parts of the document: the name of a tag or an alias can be
 * a secret.
 */
export function redactedReason({reason}: Pick<YAMLException, 'reason'>): string {
  return reason.replace(/ ".*"|: .*| !<.*>/gs, '')
}

/**
 * Returns a `KK_YAML` error at an offset of the document. The message quotes no values, because any can be a
 * secret.
 */
export function yamlError(source: Source, offset: number, message: string, hint?: string): KkError {
  return new KkError('KK_YAML', `${formatLocation(source, offset)}: ${message}`, {hint})
}
