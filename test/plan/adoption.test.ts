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

describe('the adoption of a release', () => {
  it('is allowed if kk did not install it, even if its last revision failed', () => {
    expect(adoptable(keystone, foreign)).toEqual({record: foreign, isOurs: false})
    expect(adoptable(keystone, {...foreign, status: 'failed'}).isOurs).toBe(false)
  })

  it('is not repeated', () => {
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
  ])('is refused if $what', ({record, code}) => {
    expect(() => adoptable(keystone, record)).toThrow(expect.objectContaining({code}))
  })

  it('needs --owner if another environment owns it', () => {
    const theirs = recordOf(desiredOf('keystone', {owner: 'other'}))

    expect(adoptable(keystone, theirs, 'other')).toEqual({record: theirs, isOurs: false})
    expect(() => adoptable(keystone, theirs, 'third')).toThrow(expect.objectContaining({code: 'KK_OWNER'}))
    expect(() => adoptable(keystone, theirs)).toThrow(
      expect.objectContaining({hint: expect.stringContaining('kk adopt keystone --former-owner other')}),
    )
    expect(() => adoptable(keystone, foreign, 'other')).toThrow(
      expect.objectContaining({code: 'KK_FOREIGN', exit: 3}),
    )
  })

  it('is refused if it was installed from another chart', () => {
    const stored = {revision: 4, chart: {name: 'keystone-ha', version: '0.1.0', appVersion: ''}}

    expect(() => expectSameChart(keystone, stored)).toThrow(
      expect.objectContaining({code: 'KK_OTHER_CHART', exit: 3}),
    )
  })
})

describe('a release that another environment keeps using', () => {
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

  it('is reported with its users, except adopted ones and those of the environment itself', () => {
    const users = otherUsers(new Set([mariadb.release, keystone.release]), records, 'mine')

    expect(usersText(users.get(mariadb.release)!)).toBe(
      'openstack/glance ("infra"), openstack/nova ("third")',
    )
    expect(usersText(users.get(keystone.release)!)).toBe('openstack/glance ("infra")')
  })

  it('must be named if it is protected', () => {
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
        hint: 'name the releases whose owner should change: kk adopt mariadb keystone --former-owner infra',
      }),
    )
    expect(() => expectNamed(named(false), 'infra')).not.toThrow()
    expect(() => expectNamed(named(true, []), 'infra')).not.toThrow()
  })

  it('distinguishes a renamed environment from one that hands over some of its releases', () => {
    const graph = graphOf({keystone: ['mariadb'], mariadb: []})

    expect(hasAllOf('infra', graph, records)).toBe(false)
    expect(hasAllOf('infra', graph, records.slice(0, 2))).toBe(true)
    expect(hasAllOf('infra', graph, [...records.slice(0, 2), recordOf(nova)])).toBe(true)
  })
})

test('a release that was adopted with other inputs is upgraded next, with only that reason', () => {
  const record = {...foreign, labels: adoptionLabels(keystone, 4)}

  const decision = decide(keystone, record, 'env.yaml')

  expect(decision).toEqual({kind: 'upgrade', reasons: ['adopted, deployed with other inputs']})
})

test('a release that was adopted in its desired state is only awaited', () => {
  const decision = decide(keystone, recordOf(keystone, {gated: undefined}), 'env.yaml')

  expect(decision).toMatchObject({kind: 'await'})
})
