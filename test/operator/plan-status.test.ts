import {expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {planStatus} from '../../src/operator/status-writer.ts'
import {visibleRevisions} from '../../src/prepare/visible-revisions.ts'
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

it('the status of an Environment has no notes without actions or notes', () => {
  expect(planStatus(plannedOf({...nothing, notes: ['from the plan']}))).not.toHaveProperty('notes')
  expect(planStatus(plannedOf(change))).not.toHaveProperty('notes')
})

it('the status of an Environment has at most fifty notes', () => {
  const notes = Array.from({length: 60}, (_, index) => `note ${index}`)

  expect(planStatus(plannedOf({...change, notes})).notes).toEqual(notes.slice(0, 50))
})

it('the status of an Environment has no note on namespaces that the operator may not see', async () => {
  const revisions = async (scope?: object) => {
    if (!scope) throw new KkError('KK_FORBIDDEN', 'may not list secrets')
    return []
  }
  const cluster = {records: {revisions}, runs: undefined} as unknown as Parameters<typeof visibleRevisions>[0]
  const {note} = await visibleRevisions(cluster, {releases: ['openstack/keystone']})

  expect(note).toContain('you may not list secrets in all namespaces')
  expect(planStatus(plannedOf({...change, notes: [note!, 'from the plan']})).notes).toEqual(['from the plan'])
})
