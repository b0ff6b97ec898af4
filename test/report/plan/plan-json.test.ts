import {describe, expect, it} from 'vitest'
import {hasChanges} from '../../../src/plan/plan.ts'
import {documentText} from '../../../src/report/document.ts'
import {planDocument} from '../../../src/report/plan/plan-json.ts'
import {action, MIXED_PLAN, plan} from '../support/plans.ts'

it('the plan as JSON is a stable document', async () => {
  await expect(documentText(planDocument(MIXED_PLAN), 'json')).toMatchFileSnapshot(
    '../golden/plan.json.golden',
  )
})

describe('hasChanges', () => {
  it.each([
    ['install', true],
    ['upgrade', true],
    ['await', true],
    ['relabel', true],
    ['check', false],
    ['unchanged', false],
  ] as const)('returns for a plan of one %s whether it has changes: %s', (kind, expected) => {
    expect(hasChanges(plan({actions: [action('keystone', kind)]}))).toBe(expected)
  })
})
