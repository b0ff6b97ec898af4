import {KkError} from '../../errors.ts'

/** The text that is being read, and what to call it in messages. */
export interface Source {
  readonly file: string
  readonly text: string
}

interface Place {
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 units. */
  readonly column: number
}

/** Line and column of an offset; `\n`, `\r\n` and a lone `\r` end a line, as YAML has it. */
export function placeOf(text: string, offset: number): Place {
  let line = 1
  let start = 0
  for (const match of text.slice(0, offset).matchAll(/\r\n|\r|\n/g)) {
    line += 1
    start = match.index + match[0].length
  }
  return {line, column: offset - start + 1}
}

/** `file:line:column` of an offset, as it is printed in messages. */
export function whereIs(source: Source, offset: number): string {
  const {line, column} = placeOf(source.text, offset)
  return `${source.file}:${line}:${column}`
}

/** A `KK_YAML` error that stands at an offset of the text. */
export function yamlError(source: Source, offset: number, message: string, hint?: string): KkError {
  return new KkError('KK_YAML', `${whereIs(source, offset)}: ${message}`, {hint})
}
