import {expect, it} from 'vitest'
import {planStatus} from '../../src/operator/teller.ts'
import {planOf} from '../run/plan-of.ts'
import {plannedOf} from './planned-of.ts'

const change = planOf({keystone: []}, {keystone: 'upgrade'})
const nothing = planOf({keystone: []}, {keystone: 'unchanged'})

it('the status of an Environment has the notes of the plan and of the checks, each once', () => {
  const planned = {
    ...plannedOf({...change, notes: ['from the plan', 'from both']}),
    notes: ['from both', 'from a check'],
  }

  expect(planStatus(planned)).toEqual({
    digest: 'd',
    actions: ['upgrade openstack/keystone'],
    notes: ['from the plan', 'from both', 'from a check'],
  })
})

it('the status of an Environment has no notes if nothing is to be done or noted', () => {
  expect(planStatus(plannedOf({...nothing, notes: ['from the plan']}))).not.toHaveProperty('notes')
  expect(planStatus(plannedOf(change))).not.toHaveProperty('notes')
})

it('the status of an Environment has at most fifty notes', () => {
  const notes = Array.from({length: 60}, (_, index) => `note ${index}`)

  expect(planStatus(plannedOf({...change, notes})).notes).toEqual(notes.slice(0, 50))
})
