import type {YAMLException} from 'js-yaml'
import {KkError} from '../base/errors.ts'

/** The text that is being read, and what to call it in messages. */
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

/** Line and column of an offset; `\n`, `\r\n` and a lone `\r` end a line, as YAML has it. */
function placeOf(text: string, offset: number): LineColumn {
  return placesIn(text)(offset)
}

/**
 * Returns a function that tells the place of an offset, for whoever asks often: the text is searched for its lines
 * once.
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

/** `file:line:column` of an offset, as it is printed in messages. */
export function whereIs(source: Source, offset: number): string {
  const {line, column} = placeOf(source.text, offset)
  return `${source.file}:${line}:${column}`
}

/**
 * Returns what js-yaml objects to, without what it quotes of the text: a name of a tag or an alias can be a secret
 * without quotes.
 */
export function reasonOf({reason}: Pick<YAMLException, 'reason'>): string {
  return reason.replace(/ ".*"|: .*| !<.*>/gs, '')
}

/** A `KK_YAML` error that stands at an offset of the text. The message quotes no value of it: any can be a secret. */
export function yamlError(source: Source, offset: number, message: string, hint?: string): KkError {
  return new KkError('KK_YAML', `${whereIs(source, offset)}: ${message}`, {hint})
}
