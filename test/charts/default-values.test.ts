import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {defaultValues, valuesFault} from '../../src/charts/default-values.ts'
import {testDirectory} from '../support/test-directory.ts'

async function chartWith(values: string): Promise<string> {
  const chart = testDirectory()
  await writeFile(join(chart, 'values.yaml'), values)
  return chart
}

it.each([
  ['a list', '- 1\n'],
  ['a number', '5\n'],
  ['a string', 'hello\n'],
])('values that are %s are refused with the file of the chart', async (found, text) => {
  const chart = await chartWith(text)

  expect(valuesFault(chart)).toMatchObject({
    code: 'KK_CHART',
    message: `${join(chart, 'values.yaml')}: expected a map of values, got ${found}`,
  })
  expect(defaultValues(chart)).toEqual({})
})

it.each([
  ['a map', 'a: 1\n', {a: 1}],
  ['nothing', '# none\n', {}],
])('values that are %s are valid', async (_, text, values) => {
  const chart = await chartWith(text)

  expect(valuesFault(chart)).toBeUndefined()
  expect(defaultValues(chart)).toEqual(values)
})
