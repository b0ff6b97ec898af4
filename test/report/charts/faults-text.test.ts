import {expect, it} from 'vitest'
import {chartFaultsText} from '../../../src/report/charts/charts-text.ts'
import {palette} from '../../../src/report/colour.ts'
import {viewText} from '../../../src/report/text/view.ts'

it('faults of charts are listed with release and file', () => {
  const fault = {check: 'waits', level: 'warning', release: 'openstack/web'} as const

  const text = viewText(
    chartFaultsText(
      [
        {...fault, file: 'nginx/templates/x.yaml', what: 'Deployment/web waits', advice: 'add it'},
        {...fault, file: 'a.yaml', what: 'made twice: a.yaml, b.yaml'},
        {...fault, what: 'web: its values differ'},
      ],
      palette(0),
    ),
  )

  expect(text).toBe(`! waits  web: Deployment/web waits (nginx/templates/x.yaml)
    → add it
! waits  web: made twice: a.yaml, b.yaml
! waits  web: its values differ

3 warnings
`)
})

it('charts without faults are reported as such', () => {
  expect(viewText(chartFaultsText([], palette(0)))).toBe('nothing is wrong with the charts\n')
})
