import {describe, expect, it, test} from 'vitest'
import {
  adoptable,
  expectNamed,
  expectSameChart,
  hasAllOf,
  otherUsers,
  usersText,
} from '../../src/plan/adoption.ts'
import {decide} from '../../src/plan/decision/decide.ts'
import {adoptionLabels} from '../../src/plan/labels.ts'
import {graphOf} from '../graph/graph-of.ts'
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

describe('what another environment goes on using', () => {
  const mariadb = desiredOf('mariadb', {owner: 'infra', protected: true})
  const glance = desiredOf('glance', {owner: 'infra', requires: ['mariadb', 'keystone']})
  const nova = desiredOf('nova', {owner: 'third', requires: ['mariadb']})
  const records = [
    recordOf(mariadb),
    recordOf(desiredOf('keystone', {owner: 'infra', requires: ['mariadb']})),
    recordOf(glance),
    recordOf(nova),
    recordOf(desiredOf('horizon', {owner: 'mine', requires: ['mariadb']})),
  ]

  it('is told with who uses it, but what is taken over with it and what is of the environment itself', () => {
    const users = otherUsers(new Set([mariadb.release, keystone.release]), records, 'mine')

    expect(usersText(users.get(mariadb.release)!)).toBe(
      'openstack/glance ("infra"), openstack/nova ("third")',
    )
    expect(usersText(users.get(keystone.release)!)).toBe('openstack/glance ("infra")')
  })

  it('must be named when it is protected', () => {
    const users = [{release: nova.release, owner: 'third'}]
    const named = (isProtected: boolean, of = users) => [
      {release: mariadb.release, isProtected, users: of},
      {release: keystone.release, isProtected: false, users},
    ]

    expect(() => expectNamed(named(true), 'infra')).toThrow(
      expect.objectContaining({
        code: 'KK_OWNER',
        exit: 3,
        message: expect.stringContaining('openstack/mariadb, used by openstack/nova ("third")'),
        hint: 'name what is to change hands: kk adopt mariadb keystone --owner infra',
      }),
    )
    expect(() => expectNamed(named(false), 'infra')).not.toThrow()
    expect(() => expectNamed(named(true, []), 'infra')).not.toThrow()
  })

  it('tells a renamed environment from one that hands over a part of itself', () => {
    const graph = graphOf({keystone: ['mariadb'], mariadb: []})

    expect(hasAllOf('infra', graph, records)).toBe(false)
    expect(hasAllOf('infra', graph, records.slice(0, 2))).toBe(true)
    expect(hasAllOf('infra', graph, [...records.slice(0, 2), recordOf(nova)])).toBe(true)
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
