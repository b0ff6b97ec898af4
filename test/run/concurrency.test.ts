import {expect, test} from 'vitest'
import {defaultConcurrency} from '../../src/run/run.ts'

const MEBIBYTE = 2 ** 20

test.each([
  {mebibytes: 64_000, helms: 8},
  {mebibytes: 2400, helms: 8},
  {mebibytes: 2399, helms: 7},
  {mebibytes: 600, helms: 2},
  {mebibytes: 100, helms: 1},
])('defaultConcurrency is $helms with $mebibytes MiB available', ({mebibytes, helms}) => {
  expect(defaultConcurrency(mebibytes * MEBIBYTE)).toBe(helms)
})
