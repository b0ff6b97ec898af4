import {describe, expect, it, test} from 'vitest'
import {adoptable, expectSameChart} from '../../src/plan/adoption.ts'
import {decide} from '../../src/plan/decision/decide.ts'
import {adoptionLabels} from '../../src/plan/labels.ts'
import {bareRecord, desiredOf, recordOf} from './fixtures.ts'

const keystone = desiredOf('keystone', {requires: ['mariadb'], layers: {section: {a: 1}}})
const foreign = bareRecord(keystone.release, 4)

describe('a release may be adopted', () => {
  it('when kk did not install it, also when its last revision failed', () => {
    expect(adoptable(keystone, foreign)).toEqual({record: foreign, isOurs: false})
    expect(adoptable(keystone, {...foreign, status: 'failed'}).isOurs).toBe(false)
  })

  it('and is not adopted twice', () => {
    expect(adoptable(keystone, recordOf(keystone)).isOurs).toBe(true)
  })

  it.each([
    {what: 'nothing is installed', record: undefined, code: 'KK_NOT_INSTALLED'},
    {
      what: 'another environment owns it',
      record: recordOf(desiredOf('keystone', {owner: 'other'})),
      code: 'KK_OWNER',
    },
    {what: 'a helm works on it', record: {...foreign, status: 'pending-upgrade'}, code: 'KK_PENDING'},
    {what: 'only its history is left', record: {...foreign, status: 'uninstalled'}, code: 'KK_PENDING'},
  ])('unless $what', ({record, code}) => {
    expect(() => adoptable(keystone, record)).toThrow(expect.objectContaining({code}))
  })

  it('when the environment that owns it is named, and only then', () => {
    const theirs = recordOf(desiredOf('keystone', {owner: 'other'}))

    expect(adoptable(keystone, theirs, 'other')).toEqual({record: theirs, isOurs: false})
    expect(() => adoptable(keystone, theirs, 'third')).toThrow(expect.objectContaining({code: 'KK_OWNER'}))
    expect(() => adoptable(keystone, theirs)).toThrow(
      expect.objectContaining({hint: expect.stringContaining('kk adopt keystone --owner other')}),
    )
    expect(() => adoptable(keystone, foreign, 'other')).toThrow(
      expect.objectContaining({code: 'KK_FOREIGN', exit: 3}),
    )
  })

  it('unless it was installed from another chart', () => {
    const stored = {revision: 4, chart: {name: 'keystone-ha', version: '0.1.0', appVersion: ''}}

    expect(() => expectSameChart(keystone, stored)).toThrow(
      expect.objectContaining({code: 'KK_OTHER_CHART', exit: 3}),
    )
  })
})

test('what was adopted with other inputs is upgraded next, for that reason alone', () => {
  const record = {...foreign, labels: adoptionLabels(keystone, 4)}

  const decision = decide(keystone, record, 'env.yaml')

  expect(decision).toEqual({kind: 'upgrade', reasons: ['adopted, deployed with other inputs']})
})

test('what was adopted as it is wanted has only its health awaited', () => {
  const decision = decide(keystone, recordOf(keystone, {gated: undefined}), 'env.yaml')

  expect(decision).toMatchObject({kind: 'await'})
})
