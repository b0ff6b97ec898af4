import {expect, it} from 'vitest'
import type {Finding} from '../../src/doctor/finding.ts'
import {palette} from '../../src/report/colour.ts'
import {doctorText} from '../../src/report/doctor-text.ts'
import {viewText} from '../../src/report/text/view.ts'

it('checks that were not run for the same reason have one row', () => {
  const notChecked = (check: string): Finding => ({check, level: 'info', what: 'not checked: no cluster'})
  const findings: readonly Finding[] = [
    {check: 'cluster', level: 'problem', what: 'no kubeconfig was found', advice: 'name one'},
    notChecked('clock'),
    {check: 'helm', level: 'ok', what: 'helm v4'},
    notChecked('leases'),
  ]

  expect(viewText(doctorText(findings, palette(0)))).toBe(`✘ cluster   no kubeconfig was found
    → name one
· 2 checks  not checked: no cluster: clock, leases
✔ helm      helm v4

1 problem
`)
})
