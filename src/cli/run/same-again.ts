import type {PlanScope} from '../../plan/scope.ts'
import {placeOf} from './run.ts'

interface Given {
  /** The environment file. */
  readonly file: string
  /** The releases that it was about; none for all. */
  readonly names: readonly string[]
  readonly flags: Parameters<typeof placeOf>[1] & {
    readonly values?: readonly string[] | undefined
    readonly set?: readonly string[] | undefined
    readonly store?: string | undefined
    readonly facts?: string | undefined
    readonly plugins?: string | undefined
    readonly 'force-version'?: boolean | undefined
    readonly 'adopt-store'?: boolean | undefined
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
  // In a URL a password may stand.
  const store = flags.store === undefined || flags.store.includes('://') ? [] : [`--store ${flags.store}`]
  const facts = flags.facts === undefined ? [] : [`--facts ${flags.facts}`]
  const plugins = flags.plugins === undefined ? [] : [`--plugins ${flags.plugins}`]
  const force = flags['force-version'] ? ['--force-version'] : []
  const adopt = flags['adopt-store'] ? ['--adopt-store'] : []
  return {
    line: [
      placeOf([file, ...names].join(' '), flags),
      ...values,
      ...store,
      ...facts,
      ...plugins,
      ...force,
      ...adopt,
    ].join(' '),
    given: flags.set === undefined || flags.set.length === 0 ? undefined : 'with the same --set',
  }
}

interface HowFlags {
  readonly concurrency?: number | undefined
  readonly 'fail-fast'?: boolean | undefined
  readonly 'no-wait'?: boolean | undefined
  readonly 'force-conflicts'?: boolean | undefined
  readonly 'on-failure'?: string | undefined
  readonly 'remove-new'?: boolean | undefined
  readonly 'keep-schema'?: boolean | undefined
  readonly prepull?: boolean | undefined
}

const SWITCHES = ['force-conflicts', 'fail-fast', 'no-wait', 'remove-new', 'keep-schema'] as const

/** The flags that said how a change was to be made, each with a space before it: another try is made in the same way. */
export function sameWay(flags: HowFlags, {correctDrift}: Pick<PlanScope, 'correctDrift'> = {}): string {
  const {concurrency, 'on-failure': onFailure = 'keep'} = flags
  const words = [
    ...(correctDrift ? ['--correct-drift'] : []),
    ...SWITCHES.filter((name) => flags[name]).map((name) => `--${name}`),
    ...(flags.prepull === undefined ? [] : [flags.prepull ? '--prepull' : '--no-prepull']),
    ...(concurrency === undefined ? [] : [`--concurrency ${concurrency}`]),
    ...(onFailure === 'keep' ? [] : [`--on-failure ${onFailure}`]),
  ]
  return words.map((word) => ` ${word}`).join('')
}
