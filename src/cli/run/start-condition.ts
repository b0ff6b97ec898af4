import {defaultConcurrency} from '../../run/run.ts'
import type {StartCondition} from '../../run/schedule/schedule.ts'

/**
 * Verbs that change one release after another, each until its gate has passed, unless `--concurrency` is
 * specified.
 */
const SEQUENTIAL_VERBS: ReadonlySet<string> = new Set(['upgrade', 'update', 'reconfigure'])

/** Returns how many actions of a verb run at a time; `stated` is the value of `--concurrency`. */
export function startCondition(
  verb: string,
  stated: number | undefined,
): {readonly concurrency: number; readonly startCondition: StartCondition} {
  return SEQUENTIAL_VERBS.has(verb)
    ? {concurrency: stated ?? 1, startCondition: 'gate'}
    : {concurrency: stated ?? defaultConcurrency(process.availableMemory()), startCondition: 'helm'}
}
