import {expect, it} from 'vitest'
import {chartValues, valuesFile} from '../../src/overrides/values-file.ts'

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

it.each([
  ['---\n# a comment\n---\nv: 5\n', {v: 5}],
  ['a: {b: 1, c: 1}\n---\na: {b: 2}\n', {a: {b: 2, c: 1}}],
  ['', {}],
])("a chart's own values are the merged documents of %j", (text, values) => {
  expect(chartValues('app/values.yaml', text).values).toEqual(values)
})

it("a chart's own values that are no map are refused with the path of the chart", () => {
  expect(() => chartValues('app/values.yaml', '[1]')).toThrow('app/values.yaml: expected a map of values')
})
