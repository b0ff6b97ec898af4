import {expect, it} from 'vitest'
import {readOwnCharts} from '../../scripts/charts/read-charts.ts'
import {readShown, shownIn, shownOf} from '../../scripts/docs/shown-on-pods.ts'

const SOURCE = `
describe('manila', () => {
  it('makes a share', async () => {})
})

describe.concurrent('nova, cinder: a volume', {timeout: 1}, () => {
  it(
    'starts a machine',
    async () => {},
  )
  it.each(['one', 'two'])('has %s', async () => {})
  it("keeps its guest's data", async () => {})
})

it('is of no chart', async () => {})

describe.each(['a'])('heat: %s', () => {
  it('is a table', async () => {})
})

describe('cinder: a volume', () => {
  it('grows', async () => {})
})
`

it.each([
  ['manila', 'Makes a share.'],
  ['nova', "A volume starts a machine; keeps its guest's data."],
  ['cinder', "A volume starts a machine; keeps its guest's data; grows."],
  ['heat', '–'],
])('the tests of %s are summarized as: %s', (chart, said) => {
  expect(shownOf(chart, shownIn(SOURCE))).toBe(said)
})

it('names before a colon in test titles are those of charts', () => {
  const charts = readOwnCharts().map(({name}) => name)
  const named = readShown().flatMap(({charts, subject}) => (subject === '' ? [] : charts))

  expect(named.filter((name) => !charts.includes(name))).toEqual([])
})
