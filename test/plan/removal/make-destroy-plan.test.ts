import {expect, test} from 'vitest'
import {makeDestroyPlan} from '../../../src/plan/removal/make-destroy-plan.ts'
import {orphans} from '../../../src/plan/removal/orphans.ts'
import type {Uses} from '../../../src/plan/uses/uses.ts'
import {releaseName} from '../../../src/release.ts'
import {id} from '../../graph/graph-of.ts'
import {clusterOf, type Described} from './cluster-of.ts'

const all: Record<string, Described> = {
  mariadb: {protected: true, stated: false},
  memcached: {stated: false},
  keystone: {requires: ['mariadb', 'memcached']},
  glance: {requires: ['keystone', 'mariadb']},
}

function destroy(uses: Uses, confirmed: readonly string[] = []) {
  const {actions, bystanders} = makeDestroyPlan({
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
    uses,
    isProtected: (release) => uses.observed.get(release)!.labels?.protected === true,
    confirmed: new Set(confirmed.map(id)),
  })
  return {
    goes: actions.map(({release}) => releaseName(release)),
    stays: Object.fromEntries(bystanders.map(({release, note}) => [releaseName(release), note])),
  }
}

test('all releases are removed, dependents first, except unconfirmed protected ones', () => {
  expect(destroy(clusterOf(all))).toEqual({
    goes: ['glance', 'keystone', 'memcached'],
    stays: {mariadb: 'protected: it is removed only with --confirm mariadb'},
  })
})

test('a protected release is removed if it is confirmed by name', () => {
  expect(destroy(clusterOf(all), ['mariadb'])).toEqual({
    goes: ['glance', 'keystone', 'mariadb', 'memcached'],
    stays: {},
  })
})

test.each<[string, Described, string]>([
  ['another environment', {requires: ['keystone'], owner: 'other'}, 'environment "other"'],
  ['a foreign release', {isForeign: true, declares: 'keystone'}, 'not installed by kk'],
])('a release that %s uses stays, with its requirements', (_, heat, whose) => {
  expect(destroy(clusterOf({...all, heat}), ['mariadb'])).toEqual({
    goes: ['glance'],
    stays: {
      keystone: `used by openstack/heat (${whose})`,
      mariadb: 'required by keystone, which stays',
      memcached: 'required by keystone, which stays',
    },
  })
})

test('releases of others are not part of the plan', () => {
  const uses = clusterOf({...all, wiki: {isForeign: true}, 'other/db': {owner: 'other'}})

  expect(destroy(uses, ['mariadb']).goes).toEqual(['glance', 'keystone', 'mariadb', 'memcached'])
})

test('a record that cannot be read prevents the whole plan', () => {
  const uses = clusterOf({...all, 'other/wiki': {isForeign: true, isUnreadable: true}})

  expect(() => destroy(uses)).toThrow(expect.objectContaining({code: 'KK_HAS_DEPENDENTS', exit: 3}))
})

test('a pending release prevents the whole plan', () => {
  const uses = clusterOf({...all, glance: {status: 'pending-upgrade', requires: ['keystone']}})

  expect(() => destroy(uses)).toThrow(expect.objectContaining({code: 'KK_PENDING'}))
})

test('orphans are releases that were only required, and that no release requires now', () => {
  const uses = clusterOf({
    mariadb: {stated: false},
    memcached: {stated: false},
    rabbitmq: {stated: true},
    keystone: {requires: ['mariadb']},
    old: {stated: false, status: 'uninstalled'},
    wiki: {isForeign: true},
  })

  expect(orphans(uses)).toEqual([{release: 'openstack/memcached', owner: 'all-in-one', revision: 2}])
})
