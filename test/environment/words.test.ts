import {expect, it} from 'vitest'
import {otherMeaning} from '../../src/environment/words.ts'

it.each([
  ['1:30', 'a number in base 60'],
  ['190:20:30.15', 'a number in base 60'],
  ['52:54:00:12:34:56', 'a number in base 60'],
  ['2001-12-14t21:59:43.10-05:00', 'a point in time'],
  ['2001-1-1 1:00:00', 'a point in time'],
  ['0x1_0000_0000_0000_0000', 'another number'],
  ['1.0e+400', 'another number'],
])('YAML 1.1, unlike Helm, reads %s as %s', (word, meaning) => {
  expect(otherMeaning(word)).toBe(meaning)
})

it.each([
  '0123',
  '0x1F',
  '08',
  '1_000',
  '1e3',
  '-0',
  '2001-01-01',
  '2001-12-14 21:59:43',
  '10.0.0.1:80',
  '5672:15672',
  '12345678901234567890',
])('PyYAML writes %s so that Helm reads the same value', (word) => {
  expect(otherMeaning(word)).toBeUndefined()
})
