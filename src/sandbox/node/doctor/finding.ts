/** What a look at the machine has found; `info` is what could not be checked. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'info' | 'warning' | 'problem'
  /** For people. */
  readonly what: string
  /** How to mend it: a command line where one does it, else a sentence. */
  readonly advice?: string
}
