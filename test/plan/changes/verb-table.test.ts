import {expect, test} from 'vitest'
import type {ChangeKind} from '../../../src/plan/changes/change-kind.ts'
import {CHANGE_VERBS, excludedChanges, sufficientVerb} from '../../../src/plan/changes/change-verb.ts'

test.each<[ChangeKind, Record<(typeof CHANGE_VERBS)[number], 'makes' | 'refuses'>]>([
  ['values', {reconfigure: 'makes', update: 'makes', upgrade: 'makes', deploy: 'makes'}],
  ['image', {reconfigure: 'refuses', update: 'makes', upgrade: 'makes', deploy: 'makes'}],
  ['openstack-release', {reconfigure: 'refuses', update: 'refuses', upgrade: 'makes', deploy: 'makes'}],
  ['chart-content', {reconfigure: 'refuses', update: 'makes', upgrade: 'makes', deploy: 'makes'}],
  ['chart-version', {reconfigure: 'refuses', update: 'refuses', upgrade: 'makes', deploy: 'makes'}],
  ['app-version', {reconfigure: 'refuses', update: 'refuses', upgrade: 'makes', deploy: 'makes'}],
  ['new-release', {reconfigure: 'refuses', update: 'refuses', upgrade: 'refuses', deploy: 'makes'}],
  ['standing', {reconfigure: 'makes', update: 'makes', upgrade: 'makes', deploy: 'makes'}],
])('a change of %s: %j', (change, expected) => {
  const found = CHANGE_VERBS.map((verb) => [
    verb,
    excludedChanges(verb, [change]).length === 0 ? 'makes' : 'refuses',
  ])

  expect(Object.fromEntries(found)).toEqual(expected)
})

test.each<[ChangeKind[], string]>([
  [[], 'reconfigure'],
  [['standing'], 'reconfigure'],
  [['values'], 'reconfigure'],
  [['values', 'image'], 'update'],
  [['chart-content'], 'update'],
  [['openstack-release'], 'upgrade'],
  [['values', 'chart-version'], 'upgrade'],
  [['app-version'], 'upgrade'],
  [['image', 'new-release'], 'deploy'],
])('for %j, kk %s suffices', (changes, verb) => {
  expect(sufficientVerb(changes)).toBe(verb)
})
