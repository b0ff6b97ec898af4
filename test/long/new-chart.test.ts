import {execa} from 'execa'
import {expect, it} from 'vitest'
import {copyWithNewCharts, runCharts} from '../support/new-chart.ts'

/** What finds charts, images, plugins and pages by looking. */
const SUITES = [
  'test/charts/',
  'test/docs/',
  'test/overrides/system/',
  'test/images/',
  'test/scripts/plugins-table',
]

it('new charts, their images and plugins pass every test that finds them by looking, and nothing else is touched', async () => {
  const {root, remove} = await copyWithNewCharts()
  try {
    await runCharts(root)

    const {all, exitCode} = await execa('vitest', ['run', '--reporter=verbose', ...SUITES], {
      cwd: root,
      preferLocal: true,
      all: true,
      reject: false,
    })

    expect(exitCode, all).toBe(0)
    expect(all).toContain('the pods of example')
    expect(all).toContain('the pods of aodh')
    expect(all).toContain('system overrides are accepted by example')
  } finally {
    await remove()
  }
})
