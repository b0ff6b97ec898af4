import {describe, expect, it} from 'vitest'
import type {StoredRelease} from '../../../src/cluster/cluster.ts'
import {helmMetadata} from '../../../src/plan/leftovers/ownership.ts'
import {expectUnclaimed} from '../../../src/verbs/preparation/unclaimed.ts'
import {id} from '../../graph/graph-of.ts'
import {planOf} from '../../run/plan-of.ts'

const OBJECT = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'etc'}}
const DEFINITION = {...OBJECT, kind: 'CustomResourceDefinition'}

interface Standing {
  readonly owner?: string
  readonly before?: object
  readonly mariadb?: 'upgrade'
  readonly object?: typeof OBJECT
}

/** `etc` of keystone stands already, made by `owner`; keystone is upgraded from `before`. */
function refused({owner, before, mariadb, object = OBJECT}: Standing) {
  const live = {name: 'etc', ...(owner && helmMetadata(id(owner)))}
  const stored = {manifest: before ? JSON.stringify(before) : ''}
  const compared = {
    plan: planOf(
      {mariadb: [], keystone: ['mariadb']},
      {keystone: 'upgrade', mariadb: mariadb ?? 'unchanged'},
    ),
    befores: new Map([[id('keystone'), [stored as StoredRelease]]]),
  }
  return () => expectUnclaimed([{release: id('keystone'), object, live}], compared)
}

describe('an object that exists already', () => {
  it.each([
    ['of another release', {owner: 'foreign'}, /ConfigMap\/etc, which belongs to the release .*foreign/],
    ['of nobody', {}, /ConfigMap\/etc, which no release made/],
    ['of a release of the plan that stays as it is', {owner: 'mariadb'}, /mariadb/],
  ])('%s is in the way', (_whose, setting, message) => {
    expect(refused(setting)).toThrow(expect.objectContaining({code: 'KK_IN_THE_WAY'}))
    expect(refused(setting)).toThrow(message)
  })

  it.each([
    ['of the release itself', {owner: 'keystone'}],
    ['that the release has now, whoever marked it', {before: OBJECT}],
    ['of a release that may give it up before', {owner: 'mariadb', mariadb: 'upgrade'}],
    ['that defines a kind', {object: DEFINITION}],
  ] as const)('%s is not', (_whose, setting) => {
    expect(refused(setting)).not.toThrow()
  })
})
