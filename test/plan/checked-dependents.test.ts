import {describe, expect, test} from 'vitest'
import {UNCHECKED_LABEL} from '../../src/plan/labels.ts'
import {makePlan} from '../../src/plan/make-plan.ts'
import {hasChanges, isRechecked} from '../../src/plan/plan.ts'
import {releaseName} from '../../src/release.ts'
import {id} from '../graph/graph-of.ts'
import {desiredOf, recordOf} from './fixtures.ts'
import {allDeployed, inputsOf} from './plan-inputs.ts'

describe('the dependents of a changed release', () => {
  const changed = {mariadb: {layers: {section: {replicas: 3}}}}
  const theirs = desiredOf('portal', {owner: 'web', requires: ['keystone']})

  test('of other environments are checked, after what they require', () => {
    const plan = makePlan(inputsOf(changed, [...allDeployed(), recordOf(theirs)]))

    expect(plan.actions.at(-1)).toMatchObject({
      release: id('portal'),
      kind: 'check',
      reasons: ['must pass its gate again after keystone'],
      requires: [{release: id('keystone'), kind: 'ready'}],
      revision: 2,
    })
  })

  test.each(['uninstalling', 'uninstalled'])('exclude those that are %s', (status) => {
    const plan = makePlan(inputsOf(changed, [...allDeployed(), recordOf(theirs, {status})]))

    expect(plan.actions.map(({release}) => release)).not.toContain(id('portal'))
  })

  test('are marked as unchecked on the changed release until they have passed', () => {
    const plan = makePlan(inputsOf({keystone: {version: '0.2.0'}}, allDeployed()))

    expect(plan.actions.filter(isRechecked).map(({release}) => release)).toEqual([id('keystone')])
  })

  test('are checked by the next plan if a run was interrupted before it checked them', () => {
    const records = allDeployed().map((record) =>
      record.release === id('keystone')
        ? {...record, labels: {...record.labels, [UNCHECKED_LABEL]: '2'}}
        : record,
    )

    const plan = makePlan(inputsOf({}, records))

    expect(
      plan.actions.map((action) => [releaseName(action.release), action.kind, isRechecked(action)]),
    ).toEqual([
      ['mariadb', 'check', false],
      ['keystone', 'await', true],
      ['glance', 'check', false],
      ['horizon', 'check', false],
    ])
    expect(plan.actions[1]!.reasons).toEqual(['its dependents were not checked after revision 2'])
    expect(hasChanges(plan)).toBe(true)
  })

  test('are not checked because of a mark that helm copied to a later revision', () => {
    const records = allDeployed().map((record) => ({
      ...record,
      labels: {...record.labels, [UNCHECKED_LABEL]: '1'},
    }))

    expect(hasChanges(makePlan(inputsOf({}, records)))).toBe(false)
  })

  test('pass their gate again when only their requirements changed', () => {
    const requires = ['keystone', 'mariadb', 'horizon']
    const plan = makePlan(inputsOf({...changed, glance: {requires}}, allDeployed()))

    const glance = plan.actions.find(({release}) => release === id('glance'))
    expect(glance).toMatchObject({kind: 'relabel', recheck: true})
  })

  test('never wait for each other, whatever old labels contain', () => {
    const left = recordOf(desiredOf('left', {owner: 'web', requires: ['right', 'mariadb']}))
    const right = recordOf(desiredOf('right', {owner: 'web', requires: ['left']}))

    const {actions} = makePlan(inputsOf(changed, [...allDeployed(), left, right]))

    const before = new Set<string>()
    for (const {release, requires} of actions) {
      for (const required of requires) expect(before, release).toContain(required.release)
      before.add(release)
    }
    expect(before).toContain(id('right'))
  })
})
