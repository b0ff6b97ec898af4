import type {Examination} from './facts.ts'

export type Level = 'ok' | 'info' | 'warning' | 'problem'

/** A finding of a check. */
export interface Finding {
  readonly check: string
  readonly level: Level
  /** The message, with the names of the objects. */
  readonly what: string
  /** The advice: a command line if possible, otherwise a sentence. */
  readonly advice?: string
}

/** A finding without the name of its check. */
export type CheckFinding = Omit<Finding, 'check'>

export interface Check {
  readonly name: string
  /** What the check needs to run. Defaults to a cluster; `environment` also needs a file. */
  readonly needs?: 'nothing' | 'environment'
  /** The message if there are no findings. */
  readonly okMessage: string
  run(facts: Examination): Promise<readonly CheckFinding[]>
}
