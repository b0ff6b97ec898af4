import fc from 'fast-check'
import {expect, test} from 'vitest'
import {canonicalJson, digest, FLAGS_DIGEST, inputsDigest, layerDigests} from '../../src/plan/digest.ts'
import {desiredOf} from './fixtures.ts'

test('the order of keys has no influence, the order of a list has', () => {
  expect(digest({a: 1, b: {c: 2, d: 3}})).toBe(digest({b: {d: 3, c: 2}, a: 1}))
  expect(digest({a: [1, 2]})).not.toBe(digest({a: [2, 1]}))
})

test('canonical JSON holds all of the data, and nothing else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (data) => {
      const canonical = canonicalJson(data)

      expect(decoded(JSON.parse(canonical))).toEqual(JSON.parse(JSON.stringify(data)))
      expect(canonicalJson(turned(data))).toBe(canonical)
    }),
  )
})

function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded)
  if (typeof value !== 'object' || value === null) return value
  const {entries} = value as {entries: [string, unknown][]}
  return Object.fromEntries(entries.map(([key, inner]) => [key, decoded(inner)]))
}

/** The same data with the keys of every map in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).reverse()
  return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner)]))
}

test('a map and its canonical entries have different digests', () => {
  expect(canonicalJson({a: 1})).not.toBe(canonicalJson([['a', 1]]))
  expect(canonicalJson({a: 1})).not.toBe(canonicalJson({entries: [['a', 1]]}))
})

test('several layers of one kind count in their order, empty layers do not count', () => {
  const noble = {name: 'features', source: 'noble.yaml', values: {a: 1}} as const
  const release = {name: 'features', source: '2025.1.yaml', values: {a: 2}} as const
  const section = {name: 'section', source: 'all-in-one.yaml: keystone', values: {}} as const

  expect(layerDigests([noble, section, release])).toEqual(layerDigests([noble, release]))
  expect(layerDigests([noble, release])).not.toEqual(layerDigests([release, noble]))
  expect(layerDigests([noble, release]).map((layer) => layer.name)).toEqual(['features'])
})

test('the order of requirements has no influence on the inputs digest', () => {
  const first = desiredOf('glance', {requires: ['mariadb', 'keystone']})
  const second = desiredOf('glance', {requires: ['keystone', 'mariadb']})

  expect(inputsDigest(first)).toBe(inputsDigest(second))
  expect(inputsDigest(first)).toMatch(/^[0-9a-f]{40}$/)
})

test.each([
  {what: 'chart files', other: {chartDigest: 'other'}},
  {what: 'a layer', other: {layers: {section: {replicas: 3}}}},
  {what: 'a requirement', other: {requires: ['mariadb', 'memcached']}},
  {what: 'the kind of a requirement', other: {requires: ['mariadb:applied']}},
  {what: 'the owner', other: {owner: 'infra'}},
])('another inputs digest for a change of $what', ({other}) => {
  const before = desiredOf('keystone', {requires: ['mariadb']})

  const after = desiredOf('keystone', {requires: ['mariadb'], ...other})

  expect(inputsDigest(after)).not.toBe(inputsDigest(before))
})

test('the inputs digest of a release is the one that every kk version has written on records', () => {
  const keystone = desiredOf('keystone', {requires: ['mariadb'], layers: {section: {replicas: 3}}})

  expect(inputsDigest(keystone)).toBe('dd8e580fa8b257650cb8f878137289ce103e334a')
  expect(FLAGS_DIGEST.slice(0, 12)).toBe('bf14205672ac')
})

test('the same layer under another name is another input', () => {
  const section = desiredOf('keystone', {layers: {section: {a: 1}}})
  const user = desiredOf('keystone', {layers: {user: {a: 1}}})

  expect(inputsDigest(section)).not.toBe(inputsDigest(user))
})
