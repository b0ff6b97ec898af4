import type {Examination} from './facts.ts'

export type Level = 'ok' | 'info' | 'warning' | 'problem'

/** What a check has found. */
export interface Finding {
  readonly check: string
  readonly level: Level
  /** For people, with the names of what is meant. */
  readonly what: string
  /** What to do: a command line where one does it, else a sentence. */
  readonly advice?: string
}

/** A finding, before it is known which check made it. */
export type Found = Omit<Finding, 'check'>

export interface Check {
  readonly name: string
  /** What must be there; where it is not, the check is left out. */
  readonly needs: 'nothing' | 'cluster' | 'environment'
  /** What is said when nothing is found. */
  readonly fine: string
  find(facts: Examination): Promise<readonly Found[]>
}
