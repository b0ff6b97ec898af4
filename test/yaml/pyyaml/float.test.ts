import {expect, it} from 'vitest'
import {pythonFloat} from '../../../src/yaml/pyyaml/float.ts'

it.each([
  [1, '1.0'],
  [-0, '-0.0'],
  [0.1, '0.1'],
  [0.0001, '0.0001'],
  [0.00001, '1.0e-05'],
  [1.5e-7, '1.5e-07'],
  [123456789012345.6, '123456789012345.6'],
  [1e15, '1000000000000000.0'],
  [1e16, '1.0e+16'],
  [-2.5e100, '-2.5e+100'],
  [5e-324, '5.0e-324'],
  [Infinity, '.inf'],
])('pythonFloat writes %s as %s', (value, text) => {
  expect(pythonFloat(value)).toBe(text)
})
