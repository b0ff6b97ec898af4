import {expect, it} from 'vitest'
import {seconds} from '../../src/environment/duration.ts'

it.each([
  ['90s', 90],
  ['20m', 1200],
  ['1h30m', 5400],
  ['1h0m5s', 3605],
  ['0s', 0],
  ['', undefined],
  ['20', undefined],
  ['30m1h', undefined],
  ['1.5h', undefined],
])('%j is %s seconds', (text, expected) => {
  expect(seconds(text)).toBe(expected)
})
