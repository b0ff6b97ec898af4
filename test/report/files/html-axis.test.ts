import {expect, it} from 'vitest'
import {axisStep} from '../../../src/report/files/html-releases.ts'

it.each([
  [1, 1],
  [10, 1],
  [11, 2],
  [47, 5],
  [400, 60],
  [3600, 600],
  [86_400 * 30, 86_400 * 3],
])('an axis of %d s has a tick every %d s', (seconds, step) => {
  expect(axisStep(seconds)).toBe(step)
})
