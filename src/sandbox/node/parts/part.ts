/** A program that is a part of the node. */
export interface Part {
  readonly argv: readonly string[]
  /** The files that the program reads, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The directories that must exist. */
  readonly directories?: readonly string[]
}
