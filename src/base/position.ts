/** A position in a file, as messages print it. Line and column start at 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}
