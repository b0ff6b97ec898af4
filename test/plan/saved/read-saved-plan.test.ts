import {describe, expect, it} from 'vitest'
import {digest} from '../../../src/plan/digest.ts'
import {readSavedPlan, savedPlanText} from '../../../src/plan/saved/read-saved-plan.ts'
import {saved} from './saved.ts'

/** The file with a changed field, and a matching digest. */
function sealed(changed: object): string {
  const plan = {...saved(), ...changed}
  return JSON.stringify({...plan, digest: digest(plan)})
}

describe('the file of a saved plan', () => {
  it('is read as it was written', () => {
    expect(readSavedPlan(savedPlanText(saved()), 'plan.json')).toEqual(saved())
  })

  it.each<[string, string, string]>([
    ['is empty', '', 'it is not a plan that kk has saved'],
    ['was cut', savedPlanText(saved()).slice(0, -20), 'it is not a plan that kk has saved'],
    ['is the plan of --output json', '{"environment": "cloud"}', 'it is not a plan that kk has saved'],
    ['is a list', '[]', 'it is not a plan that kk has saved'],
    [
      'has another form',
      sealed({format: 2, kk: '9.0.0'}),
      'it was saved by kk 9.0.0 in format 2; this version of kk reads format 1',
    ],
    [
      'was edited',
      savedPlanText(saved()).replace('"uid": "uid-1"', '"uid": "uid-2"'),
      'it was changed after it was saved: its digest does not match its content',
    ],
    [
      'lost a field',
      sealed({releases: [{release: 'openstack/keystone'}]}),
      'a field of a saved plan is missing, or has another type',
    ],
    [
      'has a field of another kind',
      sealed({scope: 'all'}),
      'a field of a saved plan is missing, or has another type',
    ],
  ])('that %s is refused', (_, text, why) => {
    expect(() => readSavedPlan(text, 'plan.json')).toThrow(
      expect.objectContaining({
        code: 'KK_SAVED_PLAN',
        message: `plan.json cannot be used as a plan: ${why}`,
      }),
    )
  })
})
