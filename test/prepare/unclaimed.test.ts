import {describe, expect, it} from 'vitest'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import {helmMetadata} from '../../src/plan/leftovers/ownership.ts'
import type {ActionKind} from '../../src/plan/plan.ts'
import {expectUnclaimed} from '../../src/prepare/unclaimed.ts'
import {id} from '../graph/graph-of.ts'
import {planOf} from '../run/plan-of.ts'

const OBJECT = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'etc'}}
const DEFINITION = {...OBJECT, kind: 'CustomResourceDefinition'}

interface Standing {
  readonly owner?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly before?: object
  readonly kinds?: Readonly<Record<string, ActionKind>>
  /** The releases that render the object, beside keystone. */
  readonly rendering?: readonly string[]
  readonly object?: typeof OBJECT
}

/**
 * `etc` of keystone stands already, made by `owner`; keystone, which requires mariadb, is upgraded from
 * `before`.
 */
function refused({owner, labels, before, kinds, rendering = [], object = OBJECT}: Standing) {
  const live = {name: 'etc', ...(owner && helmMetadata(id(owner))), ...(labels && {labels})}
  const stored = {manifest: before ? JSON.stringify(before) : ''}
  const compared = {
    plan: planOf(
      {mariadb: [], keystone: ['mariadb'], glance: ['keystone']},
      {keystone: 'upgrade', mariadb: 'unchanged', glance: 'unchanged', ...kinds},
    ),
    previous: new Map([[id('keystone'), [stored as StoredRelease]]]),
    rendered: new Map(['keystone', ...rendering].map((name) => [id(name), [object]])),
  }
  return () => expectUnclaimed([{release: id('keystone'), object, live}], compared)
}

describe('an object that exists already', () => {
  it.each<[string, Standing, RegExp]>([
    ['of another release', {owner: 'foreign'}, /ConfigMap\/etc, which belongs to the release .*foreign/],
    ['of no release', {}, /ConfigMap\/etc, which no release made/],
    ['of an unchanged release of the plan', {owner: 'mariadb'}, /mariadb/],
    ['of a release that is upgraded later', {owner: 'glance', kinds: {glance: 'upgrade'}}, /glance/],
    [
      'of a release that is upgraded before and keeps it',
      {owner: 'mariadb', kinds: {mariadb: 'upgrade'}, rendering: ['mariadb']},
      /mariadb/,
    ],
    [
      'of a repeated install, without its annotation',
      {before: OBJECT, kinds: {keystone: 'install'}},
      /ConfigMap\/etc, which no release made/,
    ],
    [
      'without the label of helm',
      {owner: 'keystone', labels: {'app.kubernetes.io/managed-by': 'argocd'}},
      /is not labelled app.kubernetes.io\/managed-by: Helm/,
    ],
  ])('%s is refused', (_whose, setting, message) => {
    expect(refused(setting)).toThrow(expect.objectContaining({code: 'KK_IN_THE_WAY'}))
    expect(refused(setting)).toThrow(message)
  })

  it.each<[string, Standing]>([
    ['of the release itself', {owner: 'keystone'}],
    ['of the release, with the annotation of another', {before: OBJECT}],
    ['of a release that gives it up before', {owner: 'mariadb', kinds: {mariadb: 'upgrade'}}],
    ['that defines a kind', {object: DEFINITION}],
  ])('%s is accepted', (_whose, setting) => {
    expect(refused(setting)).not.toThrow()
  })

  it('that another release no longer contains is refused with the release to upgrade first', () => {
    expect(refused({owner: 'glance', kinds: {glance: 'upgrade'}})).toThrow(
      expect.objectContaining({hint: expect.stringContaining('upgrade it first: kk upgrade glance')}),
    )
  })
})
