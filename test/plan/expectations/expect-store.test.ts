import {expect, test} from 'vitest'
import {decide} from '../../../src/plan/decision/decide.ts'
import type {DesiredRelease, StoreStamp} from '../../../src/plan/desired.ts'
import {expectStore, type StoreExpectation} from '../../../src/plan/expectations/expect-store.ts'
import {desiredOf, recordOf} from '../fixtures.ts'

const HERE = 'c0ffee00-0000-4000-8000-000000000001'
const THERE = 'c0ffee00-0000-4000-8000-000000000002'

interface Case {
  /** The overrides with which keystone was deployed; undefined for no overrides, or no store. */
  readonly was?: {readonly user?: object; readonly store?: StoreStamp; readonly owner?: string}
  readonly wanted?: {readonly user?: object}
  readonly store?: {readonly id: string; readonly state: number; readonly cluster?: string}
}

function release({user, store, owner}: NonNullable<Case['was']>): DesiredRelease {
  const layers = user ? {user: {...user}} : {}
  return {...desiredOf('keystone', {layers, ...(owner && {owner})}), ...(store && {store})}
}

function expectation({was = {}, wanted = {}, store}: Case): StoreExpectation {
  const desired = release({...wanted, ...(store && {store})})
  return {
    store: store && {cluster: undefined, ...store},
    cluster: 'uid-1',
    environment: 'all-in-one',
    desired: new Map([[desired.release, desired]]),
    records: [recordOf(release(was))],
  }
}

const OVERRIDES = {pod: {replicas: 2}}

test.each<{why: string; message: string} & Case>([
  {
    why: 'a laptop without a store would take overrides away',
    was: {user: OVERRIDES, store: {id: HERE, state: 3}},
    message: 'but there is no store here',
  },
  {
    why: 'another store has none',
    was: {user: OVERRIDES, store: {id: THERE, state: 3}},
    store: {id: HERE, state: 0},
    message: THERE,
  },
  {
    why: 'another store has the same',
    was: {user: OVERRIDES, store: {id: THERE, state: 3}},
    wanted: {user: OVERRIDES},
    store: {id: HERE, state: 9},
    message: THERE,
  },
  {
    why: 'an older copy still has what was deleted',
    was: {store: {id: HERE, state: 6}},
    wanted: {user: OVERRIDES},
    store: {id: HERE, state: 5},
    message: 'it had 6 changes, the store here has 5',
  },
  {
    why: 'the store belongs to another cluster',
    wanted: {user: OVERRIDES},
    store: {id: HERE, state: 0, cluster: 'uid-2'},
    message: 'belongs to another cluster',
  },
])('refused: $why', ({message, ...given}) => {
  expect(() => expectStore(expectation(given))).toThrow(
    expect.objectContaining({code: 'KK_STORE', message: expect.stringContaining(message)}),
  )
})

test.each<{why: string} & Case>([
  {
    why: 'the same store, with newer overrides',
    was: {user: OVERRIDES, store: {id: HERE, state: 3}},
    wanted: {user: {pod: {replicas: 3}}},
    store: {id: HERE, state: 4, cluster: 'uid-1'},
  },
  {why: 'nothing was ever overridden, and there is no store', was: {}},
  {why: 'the first store', was: {}, wanted: {user: OVERRIDES}, store: {id: HERE, state: 1}},
  {why: 'the store of another cluster gives nothing here', store: {id: HERE, state: 2, cluster: 'uid-2'}},
  {
    why: 'another store gave nothing',
    was: {store: {id: THERE, state: 3}},
    wanted: {user: OVERRIDES},
    store: {id: HERE, state: 1},
  },
  {why: 'a store that gave nothing, and none is needed', was: {store: {id: THERE, state: 3}}},
  {
    why: 'a release of another environment, which is not changed',
    was: {user: OVERRIDES, store: {id: THERE, state: 3}, owner: 'elsewhere'},
  },
])('accepted: $why', (given) => {
  expect(() => expectStore(expectation(given))).not.toThrow()
})

test('a throwaway cluster is a different one each time, and accepts any store', () => {
  const given = expectation({wanted: {user: OVERRIDES}, store: {id: HERE, state: 0, cluster: 'uid-2'}})

  expect(() => expectStore({...given, cluster: undefined})).not.toThrow()
})

test('an adopted store whose overrides are the same is written on the record, without helm', () => {
  const was = release({user: OVERRIDES, store: {id: THERE, state: 3}})
  const now = release({user: OVERRIDES, store: {id: HERE, state: 1}})

  expect(decide(now, recordOf(was), 'env.yaml')).toMatchObject({kind: 'relabel'})
  expect(decide(now, recordOf(now), 'env.yaml')).toMatchObject({kind: 'unchanged'})
})
