import {setFlagsFromString} from 'node:v8'

/** A start fills a few MB with what stays: a young generation that holds it spares a sixth of the start's time. */
export const V8_FLAGS = ['--min-semi-space-size=16']

/**
 * Under these a run that does the same compiles the same, into the same bytes: nothing is compiled beside it or because it took long,
 * and what V8 does not write of an object is zero, not what stood there before.
 */
export const WARM_FLAGS = [
  '--predictable',
  '--no-turbofan',
  '--no-sparkplug',
  '--clear-free-memory',
  '--initial-old-space-size=1024',
  '--min-semi-space-size=64',
]

/** Undoes `WARM_FLAGS` as far as V8 counts them: it takes a code cache only under the flags that it was made with. */
export function undoWarmFlags(): void {
  const undone = [
    '--turbofan',
    // --no-turbofan takes it along.
    '--osr-from-maglev',
    '--sparkplug',
    '--no-clear-free-memory',
    '--initial-old-space-size=0',
    ...V8_FLAGS,
  ]
  for (const flag of undone) setFlagsFromString(flag)
}
