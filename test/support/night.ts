import {describe} from 'vitest'

/**
 * Tests of a suite that `npm run test:long` alone runs, by `KK_TEST_NIGHT`: what holds them at each change is
 * said in docs/decisions/2026-11-23-what-is-tested-each-night.md. `npm test` does not know of them.
 */
export function atNight(tests: () => void): void {
  if (process.env.KK_TEST_NIGHT) describe('at night', tests)
}

/**
 * The size of a test: that of the design by `KK_TEST_NIGHT`, as in `npm run test:long -- --night`, and a
 * small one otherwise.
 */
export function sizeAtNight(night: number, otherwise: number): number {
  return process.env.KK_TEST_NIGHT ? night : otherwise
}
