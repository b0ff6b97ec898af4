import {expect, it} from 'vitest'
import {withVersions} from '../../../src/plan/changes/with-changes.ts'
import type {Action} from '../../../src/plan/plan.ts'
import {palette} from '../../../src/report/colour.ts'
import {planText} from '../../../src/report/plan/plan-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {id} from '../../graph/graph-of.ts'
import {planOf} from '../../run/plan-of.ts'

/** An upgrade of keystone to 0.2.0 with appVersion 2025.1, for these reasons. */
function upgradeFor(reasons: readonly string[]) {
  const plan = planOf({keystone: []}, {keystone: 'upgrade'})
  const chart = {name: 'keystone', version: '0.2.0', appVersion: '2025.1'}
  const actions = plan.actions.map((action) => ({...action, reasons, chart}) as Action<'upgrade'>)
  return {...plan, actions}
}

it.each([
  {
    what: 'an appVersion that differs, which labels do not tell',
    installed: {version: '0.2.0', appVersion: '2024.2'},
    before: ['chart files changed', 'section keystone of env.yaml changed'],
    after: ['appVersion 2024.2 → 2025.1', 'section keystone of env.yaml changed'],
  },
  {
    what: 'both versions',
    installed: {version: '0.1.0', appVersion: ''},
    before: ['chart version 0.1.0 → 0.2.0'],
    after: ['chart version 0.1.0 → 0.2.0', 'appVersion (none) → 2025.1'],
  },
  {
    what: 'that only files changed',
    installed: {version: '0.2.0', appVersion: '2025.1'},
    before: ['chart files changed'],
    after: ['chart files changed'],
  },
])('the reasons of an upgrade show $what', ({installed, before, after}) => {
  const chart = {name: 'keystone', ...installed}

  const {actions} = withVersions(upgradeFor(before), new Map([[id('keystone'), chart]]))

  expect(actions[0]).toMatchObject({reasons: after, installed: chart})
})

it('the plan shows the installed version of a chart before the new one', () => {
  const installed = {name: 'keystone', version: '0.1.0', appVersion: '2025.1'}

  const plan = withVersions(upgradeFor([]), new Map([[id('keystone'), installed]]))

  expect(viewText(planText(plan, palette(0)))).toContain('keystone 0.1.0 → 0.2.0')
  expect(viewText(planText(upgradeFor([]), palette(0)))).toContain('keystone 0.2.0 ')
})
