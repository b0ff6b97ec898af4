import {expect, it} from 'vitest'
import {seconds} from '../../src/base/duration.ts'

it.each([
  ['90s', 90],
  ['20m', 1200],
  ['1h30m', 5400],
  ['1h0m5s', 3605],
  ['399h9999m99999s', 399 * 3600 + 9999 * 60 + 99999],
  ['0s', undefined],
  ['0h00m0s', undefined],
  ['400h', undefined],
  ['597h', undefined],
  ['100000m', undefined],
  ['', undefined],
  ['20', undefined],
  ['30m1h', undefined],
  ['1.5h', undefined],
])('%j is %s seconds', (text, expected) => {
  expect(seconds(text)).toBe(expected)
})
