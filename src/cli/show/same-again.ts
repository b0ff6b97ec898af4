import {placeOf} from './show-run.ts'

interface Given {
  /** The environment file. */
  readonly file: string
  /** The releases that it was about; none for all. */
  readonly names: readonly string[]
  readonly flags: Parameters<typeof placeOf>[1] & {
    readonly values?: readonly string[] | undefined
    readonly set?: readonly string[] | undefined
  }
}

/** A command line in two parts: what can be copied, and what has to be said in words. */
export interface SameAgain {
  /** What comes after the verb. */
  readonly line: string
  /** Undefined when the line says all. What `--set` was given may be secret, and is never printed. */
  readonly given: string | undefined
}

/** How to ask again for the same releases with the same values: without them the inputs would be others. */
export function sameAgain({file, names, flags}: Given): SameAgain {
  const values = (flags.values ?? []).map((value) => `--values ${value}`)
  return {
    line: [placeOf([file, ...names].join(' '), flags), ...values].join(' '),
    given: flags.set === undefined || flags.set.length === 0 ? undefined : 'with the same --set',
  }
}
