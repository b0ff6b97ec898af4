import {setFlagsFromString} from 'node:v8'

/** A start fills a few MB with what stays: a young generation that holds it spares a sixth of the start's time. */
export const V8_FLAGS = ['--min-semi-space-size=32']

/**
 * Under these a run that does the same compiles the same, into the same bytes: nothing is compiled beside it, or because it was called
 * often (how often also follows from how long a path is), and what V8 does not write of an object is zero, not what stood there before.
 */
export const WARM_FLAGS = [
  '--predictable',
  '--no-turbofan',
  '--no-maglev',
  '--no-sparkplug',
  '--invocation-count-for-feedback-allocation=1000000000',
  '--clear-free-memory',
  '--initial-old-space-size=1024',
  '--min-semi-space-size=64',
]

/** Undoes `WARM_FLAGS` as far as V8 counts them: it takes a code cache only under the flags that it was made with. */
export function undoWarmFlags(): void {
  const undone = [
    '--turbofan',
    '--maglev',
    // What --no-turbofan and --no-maglev take along.
    '--osr-from-maglev',
    '--maglev-overwrite-budget',
    '--invocation-count-for-turbofan=16000',
    '--min-inlining-frequency=0.05',
    '--sparkplug',
    '--invocation-count-for-feedback-allocation=8',
    '--no-clear-free-memory',
    '--initial-old-space-size=0',
    ...V8_FLAGS,
  ]
  for (const flag of undone) setFlagsFromString(flag)
}
