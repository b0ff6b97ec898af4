import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {adoptionText} from '../../src/report/adoption-text.ts'
import {palette} from '../../src/report/colour.ts'
import {viewText} from '../../src/report/text/view.ts'
import type {Adoption, PlannedAdoption} from '../../src/verbs/change/adopt.ts'
import {id} from '../graph/graph-of.ts'

const keystone: Adoption = {
  release: id('keystone'),
  revision: 3,
  status: 'deployed',
  from: 'infra',
  users: [{release: id('glance'), owner: 'infra'}],
  chart: {name: 'keystone', before: '0.1.0', after: '0.1.0'},
  values: [],
  objects: [],
  same: true,
}

function textOf(adoption: Adoption, deployRefusal?: KkError): string {
  const cluster = {context: 'kind', server: 'https://127.0.0.1', version: 'v1.34.0', uid: 'u'}
  const plan = {environment: 'mine', file: 'mine.yaml', cluster, actions: [], bystanders: []}
  const planned = {plan, adoptions: [adoption], alreadyOwned: [], diffs: [], deployRefusal} as unknown
  return viewText(adoptionText(planned as PlannedAdoption, palette(0)))
}

describe('the text of an adoption', () => {
  it('lists the releases that use the adopted one and stay', () => {
    const differing = {...keystone, same: false}

    for (const adoption of [keystone, differing])
      expect(textOf(adoption)).toContain('used by  openstack/glance ("infra"), not handed over\n')
    expect(textOf({...keystone, users: []})).not.toContain('used by')
  })

  it('does not announce the rest for the next deploy if that would be refused', () => {
    const refusal = new KkError('KK_ROTATION', 'in use and not stated', {hint: 'state it'})

    expect(textOf(keystone)).toContain('; what differs comes with the next deploy\n')
    expect(textOf(keystone, refusal)).toContain('; the next deploy will be refused, as the note says\n')
  })
})
