/** A finding about the machine; `info` is for what could not be checked. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'info' | 'warning' | 'problem'
  /** The message for the user. */
  readonly what: string
  /** How to fix it: a command line if one suffices, otherwise a sentence. */
  readonly advice?: string
}
