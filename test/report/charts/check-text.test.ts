import {expect, it} from 'vitest'
import {checkText} from '../../../src/report/charts/check-text.ts'
import {palette} from '../../../src/report/colour.ts'
import {viewText} from '../../../src/report/text/view.ts'

it('findings are listed by group with release and file, below what was checked', () => {
  const fault = {check: 'waits', level: 'warning', release: 'openstack/web'} as const

  const text = viewText(
    checkText(
      {
        file: 'cloud.yaml',
        findings: [
          {...fault, file: 'nginx/templates/x.yaml', what: 'Deployment/web waits', advice: 'add it'},
          {...fault, check: 'rendering', file: 'a.yaml', what: 'made twice: a.yaml, b.yaml'},
          {...fault, check: 'settings', what: 'web: its values differ'},
        ],
        coverage: {
          file: {name: 'cloud', sections: 2},
          values: {schemas: 1, withoutSchema: ['web'], options: 3, unlisted: []},
          references: {requirements: 1},
          charts: {releases: 2, rendered: 2, objects: 7},
        },
      },
      palette(0),
    ),
  )

  expect(text).toBe(`cloud.yaml:
✔ file        the environment "cloud" with 2 sections
! values      the keys of 1 chart, 3 options of conf
  not checked: keys of web: the charts have no schema
  ! settings  web: its values differ
! references  1 requirement
  ! waits  web: Deployment/web waits (nginx/templates/x.yaml)
      → add it
! charts      2 of 2 charts rendered, 7 objects
  ! rendering  web: made twice: a.yaml, b.yaml
· accounts    not checked: solve the problems first
· cluster     not checked: none was named, with --context or --sandbox

3 warnings
`)
})
