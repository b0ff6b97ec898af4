import {expect, it} from 'vitest'
import {allowedPods, scaledPods} from '../../src/base/allowance.ts'

it.each([
  [7, 100, 7],
  ['7%', 100, 7],
  ['5%', 30, 2],
  ['0%', 30, 0],
] as const)('%s of %i pods, rounded up, are %i', (value, pods, expected) => {
  expect(scaledPods(value, pods, Math.ceil)).toBe(expected)
})

it.each([
  ['29%', 100, 29],
  ['5%', 30, 1],
  [3, 2, 1],
  [undefined, 2, 0],
] as const)('%s of %i pods may be unavailable: %i', (allowance, pods, expected) => {
  expect(allowedPods(allowance, pods)).toBe(expected)
})
