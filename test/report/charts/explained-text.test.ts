import {expect, it} from 'vitest'
import {explainedChartText, indexText} from '../../../src/report/charts/charts-text.ts'
import {palette} from '../../../src/report/colour.ts'
import {viewText} from '../../../src/report/text/view.ts'

const CHART = {chart: 'nova', version: '1.0.0', directory: '/charts/nova'}

it('explained charts list components with their switches', () => {
  const components = [
    {
      name: 'compute_ironic',
      switches: ['statefulset_compute_ironic'],
      isOn: false,
      requires: [{kind: 'soft', what: 'service baremetal = ironic-api', chart: 'ironic'}],
    },
    {name: 'api', switches: [], isOn: true, requires: [{kind: 'ready', what: 'job nova-db-sync'}]},
  ] as const

  expect(viewText(explainedChartText({...CHART, environment: 'lab', components}, palette(0)))).toBe(
    `nova 1.0.0 with the values of lab
  compute_ironic, off (manifests.statefulset_compute_ironic)
    service baremetal = ironic-api  → ironic  not waited for
  api
    job nova-db-sync
`,
  )
})

it('the text of a chart whose values state no requirements reports that', () => {
  expect(viewText(explainedChartText({...CHART, components: []}, palette(0)))).toBe(
    'nova 1.0.0 with its default values says nothing of requirements\n',
  )
})

it('the text of an index lists indexed and skipped charts', () => {
  const indexed = {
    directory: 'charts',
    charts: [
      {name: 'operator', version: '1.0.0', provides: 2, kinds: 1},
      {name: 'db', version: '2.0.0', provides: 1, kinds: 0},
    ],
    failed: [{name: 'broken', message: 'it does not render'}],
  }

  expect(viewText(indexText(indexed, palette(0)))).toBe(`  operator  1.0.0  2 objects  1 custom kind
  db        2.0.0  1 object
  ! broken is skipped: it does not render
indexed 2 charts of charts
`)
})
