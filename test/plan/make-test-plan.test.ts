import {describe, expect, it} from 'vitest'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import {makeTestPlan, testable} from '../../src/plan/make-test-plan.ts'
import {releaseName} from '../../src/release.ts'
import {graphOf, id} from '../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf} from './fixtures.ts'

const graph = graphOf({
  horizon: ['keystone'],
  keystone: ['memcached'],
  memcached: ['mariadb'],
  mariadb: [],
})

const record = (name: string, owner = 'all-in-one') => recordOf(desiredOf(name, {owner}))
const all = ['horizon', 'keystone', 'memcached', 'mariadb'].map((name) => record(name))

function meant(records: readonly ReleaseRecord[], ...named: readonly string[]) {
  const {records: found, notes} = testable({
    environment: 'all-in-one',
    graph,
    records,
    named: named.map(id),
  })
  return {releases: found.map(({release}) => releaseName(release)), notes}
}

function planned(withTests: readonly string[], of = graph, withUserTests: readonly string[] = []) {
  const names = new Set([...withTests, ...withUserTests])
  return makeTestPlan({
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
    graph: of,
    records: of.releases.map((release) => record(releaseName(release))),
    notes: ['not installed: glance'],
    tests: new Map(
      [...names].map((name) => [
        id(name),
        {
          own: withTests.includes(name) ? [`Pod/${name}-test`] : [],
          user: withUserTests.includes(name) ? [`Pod/${name}-user-test`] : [],
        },
      ]),
    ),
  })
}

describe('the releases to test', () => {
  it('are all of the environment, in order, if none is named', () => {
    expect(meant(all)).toEqual({releases: ['mariadb', 'memcached', 'keystone', 'horizon'], notes: []})
  })

  it('are the named ones', () => {
    expect(meant(all, 'horizon', 'mariadb').releases).toEqual(['mariadb', 'horizon'])
  })

  it('exclude, with a note, releases that are not installed or not of this environment', () => {
    const records = [record('mariadb', 'base'), bareRecord(id('memcached')), record('keystone')]

    expect(meant(records)).toEqual({
      releases: ['keystone'],
      notes: [
        'not installed: horizon',
        'not tested, because they are not of this environment: mariadb, memcached',
      ],
    })
  })

  it.each([
    ['is not installed', 'horizon', 'KK_NOT_INSTALLED'],
    ['kk did not install', 'memcached', 'KK_FOREIGN'],
    ['another environment owns', 'mariadb', 'KK_OWNER'],
  ])('cannot include a named one that %s', (_, name, code) => {
    const records = [record('mariadb', 'base'), bareRecord(id('memcached'))]

    expect(() => meant(records, name)).toThrow(expect.objectContaining({code}))
  })
})

describe('a plan of tests', () => {
  it('has the releases with tests, and notes those without', () => {
    const {actions, notes} = planned(['mariadb', 'horizon'])

    expect(actions.map(({release, kind, reasons}) => [releaseName(release), kind, reasons])).toEqual([
      ['horizon', 'test', ['1 test: Pod/horizon-test']],
      ['mariadb', 'test', ['1 test: Pod/mariadb-test']],
    ])
    expect(notes).toEqual(['no tests: keystone, memcached', 'not installed: glance'])
  })

  it('orders tests by requirements, also through releases without tests', () => {
    const {actions} = planned(['mariadb', 'keystone', 'horizon'])

    expect(Object.fromEntries(actions.map(({release, requires}) => [release, requires]))).toEqual({
      'openstack/mariadb': [],
      'openstack/keystone': [{release: 'openstack/mariadb', kind: 'ready'}],
      'openstack/horizon': [
        {release: 'openstack/keystone', kind: 'ready'},
        {release: 'openstack/mariadb', kind: 'ready'},
      ],
    })
  })

  it('has the tests of a user last, after all others have ended and if those of its own release have passed', () => {
    const {actions} = planned(['mariadb', 'keystone', 'horizon'], graph, ['keystone'])

    expect(actions.at(-1)).toMatchObject({
      release: 'openstack/keystone:user',
      kind: 'test',
      reasons: ['1 test: Pod/keystone-user-test'],
      userTestOf: 'openstack/keystone',
      requires: [{release: 'openstack/keystone', kind: 'ready'}],
      follows: ['openstack/horizon', 'openstack/mariadb'],
    })
    expect(actions).toHaveLength(4)
  })

  it('requires nothing for the tests of a user in a release without tests of its own', () => {
    const {actions, notes} = planned([], graph, ['keystone'])

    expect(actions.map(({release, requires}) => [release, requires])).toEqual([
      ['openstack/keystone:user', []],
    ])
    expect(notes).toContain('no tests: horizon, memcached, mariadb')
  })

  it('starts the members of a group together: none waits for itself', () => {
    const group = graphOf({nova: ['neutron:applied'], neutron: ['nova:applied', 'ovn:applied'], ovn: []})

    const {actions} = planned(['nova', 'neutron'], group)

    for (const {requires, group: members} of actions) {
      expect(requires).toEqual([])
      expect(members.map(releaseName).sort()).toEqual(['neutron', 'nova'])
    }
  })
})
