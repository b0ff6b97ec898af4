/** A finding about the machine; `info` is of what could not be checked. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'info' | 'warning' | 'problem'
  /** The text for the user. */
  readonly what: string
  /** The way to mend it: a command line where one does it, else a sentence. */
  readonly advice?: string
}
