/** A place in a file as messages print it; line and column start at 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}
