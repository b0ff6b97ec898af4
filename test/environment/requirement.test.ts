import {expect, it} from 'vitest'
import {parseRequirement} from '../../src/environment/requirement.ts'

it.each([
  ['placement', {release: 'placement', kind: 'ready'}],
  ['neutron:applied', {release: 'neutron', kind: 'applied'}],
  ['neutron:ready', {release: 'neutron', kind: 'ready'}],
  ['infra/mariadb', {release: 'mariadb', namespace: 'infra', kind: 'ready'}],
  ['infra/mariadb:applied', {release: 'mariadb', namespace: 'infra', kind: 'applied'}],
])('parseRequirement accepts %s', (text, expected) => {
  expect(parseRequirement(text)).toEqual(expected)
})

it.each(['', 'Nova', 'a/b/c', 'nova:soon', 'nova applied', '-nova'])(
  'parseRequirement rejects %j',
  (text) => {
    expect(parseRequirement(text)).toBeUndefined()
  },
)
