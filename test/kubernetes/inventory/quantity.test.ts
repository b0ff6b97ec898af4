import {expect, it} from 'vitest'
import {mebibytes, parseQuantity, wholeCpus} from '../../../src/kubernetes/inventory/quantity.ts'

it.each([
  ['250m', 0.25],
  ['1500000000n', 1.5],
  ['1e3', 1000],
  ['2Ei', 2 ** 61],
  [3, 3],
  ['', 0],
])('the quantity %s is %d', (quantity, expected) => {
  expect(parseQuantity(quantity)).toBeCloseTo(expected)
})

it.each([
  ['16397356Ki', 16013],
  ['64Gi', 65536],
  ['1073741824', 1024],
  ['2G', 1907],
  ['much', 0],
])('the memory %s is %i MiB', (quantity, expected) => {
  expect(mebibytes(quantity)).toBe(expected)
})

it.each([
  ['8', 8],
  ['7910m', 7],
  ['0.5', 0],
  ['many', 0],
])('%s are %i whole CPUs', (quantity, expected) => {
  expect(wholeCpus(quantity)).toBe(expected)
})
