import {expect, it} from 'vitest'
import {valuesFile} from '../../src/overrides/values-file.ts'

it.each([
  ['', {}],
  ['# nothing\n', {}],
  ['---\na: 1\n---\n', {a: 1}],
])('a file of values with %j is read', (text, values) => {
  expect(valuesFile('more.yaml', text).values).toEqual(values)
})

it.each([
  ['[1]', 'more.yaml: expected a map of values'],
  ['a: 1\n---\nb: 2\n', 'more.yaml:3:1: expected one document, got a second one'],
])('a file of values with %j is refused', (text, message) => {
  expect(() => valuesFile('more.yaml', text)).toThrow(message)
})
