/** The output, and what PyYAML's emitter remembers about its last character. */
export interface Writer {
  text: string
  column: number
  /** Whether the last character was white space. */
  whitespace: boolean
  /** Whether the line contains only indentation, `-`, `?` and `:`. */
  indention: boolean
  /** The indentation, in columns; undefined before the root. */
  indent: number | undefined
}

export const WIDTH = 80
const STEP = 2

export function newWriter(): Writer {
  return {text: '', column: 0, whitespace: true, indention: true, indent: undefined}
}

/** Calls `write` with a deeper indentation. PyYAML 6: emitter.py increase_indent. */
export function indented(writer: Writer, kind: 'flow' | 'block' | 'indentless', write: () => void): void {
  const {indent} = writer
  if (indent === undefined) writer.indent = kind === 'flow' ? STEP : 0
  else if (kind !== 'indentless') writer.indent = indent + STEP
  write()
  writer.indent = indent
}

export function writeData(writer: Writer, data: string): void {
  writer.text += data
  writer.column += data.length
}

interface Indicator {
  /** Whether to write a space before the indicator if there is none. */
  readonly spaced: boolean
  /** Whether the following string needs no space before it. */
  readonly whitespace?: boolean
  /** Whether the indicator counts as indentation. */
  readonly indention?: boolean
}

export function writeIndicator(writer: Writer, indicator: string, options: Indicator): void {
  writeData(writer, writer.whitespace || !options.spaced ? indicator : ` ${indicator}`)
  writer.whitespace = options.whitespace ?? false
  writer.indention &&= options.indention ?? false
}

export function writeIndent(writer: Writer): void {
  const indent = writer.indent ?? 0
  const {column, whitespace, indention} = writer
  if (!indention || column > indent || (column === indent && !whitespace)) writeLineBreak(writer)
  if (writer.column >= indent) return
  writer.whitespace = true
  writeData(writer, ' '.repeat(indent - writer.column))
}

export function writeLineBreak(writer: Writer): void {
  writer.text += '\n'
  writer.whitespace = true
  writer.indention = true
  writer.column = 0
}
