import {execa} from 'execa'
import {expect, it} from 'vitest'
import {copyWithNewCharts, runCharts} from '../support/new-chart.ts'

/** What finds charts, plugins and images by looking. */
const OF_CHARTS = [
  'test/own-charts/',
  'test/overrides/system/',
  '--testNamePattern',
  '\\b(cloudkitty|example)\\b',
]
const OF_ALL = [
  'test/docs/generated',
  'test/docs/links',
  'test/images/inventory/',
  'test/scripts/plugins-table',
]

it('new charts, their images and plugins pass every test that discovers charts, without changes to other files', async () => {
  const {root, remove} = await copyWithNewCharts()
  try {
    await runCharts(root)
    const vitest = (...args: readonly string[]) =>
      execa('vitest', ['run', '--reporter=verbose', ...args], {
        cwd: root,
        preferLocal: true,
        all: true,
        reject: false,
      })

    const ofCharts = await vitest(...OF_CHARTS)
    const ofAll = await vitest(...OF_ALL)

    expect(ofCharts.exitCode, ofCharts.all).toBe(0)
    expect(ofAll.exitCode, ofAll.all).toBe(0)
    for (const name of [
      'the pods of cloudkitty',
      'the pods of example',
      'the system overrides and declared secrets suffice to render example',
    ])
      expect(ofCharts.all).toContain(name)
  } finally {
    await remove()
  }
})
