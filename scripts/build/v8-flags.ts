import {setFlagsFromString} from 'node:v8'

/**
 * A start fills a few MB with long-lived objects: a young generation of that size saves a sixth of the
 * start's time.
 */
export const V8_FLAGS = ['--min-semi-space-size=32']

/**
 * With these flags, equal runs compile the same, into the same bytes: nothing is compiled concurrently, or
 * because it was called often (which also depends on the length of a path), and bytes of an object that V8
 * does not write are zero, not former contents.
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

/**
 * Undoes `WARM_FLAGS` as far as V8 compares them: it accepts a code cache only under the flags of its
 * creation.
 */
export function undoWarmFlags(): void {
  const undone = [
    '--turbofan',
    '--maglev',
    // The flags that --no-turbofan and --no-maglev imply.
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
