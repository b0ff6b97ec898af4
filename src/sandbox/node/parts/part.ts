/** A program that makes a machine a node. */
export interface Part {
  readonly argv: readonly string[]
  /** What it reads, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** Directories that must be there. */
  readonly directories?: readonly string[]
}
