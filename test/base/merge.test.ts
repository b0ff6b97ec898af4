import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
const key = fc.oneof(
  {arbitrary: fc.constantFrom('a', 'b', 'c', 'constructor', 'toString', '__proto__'), weight: 3},
  fc.string(),
)
const {map} = fc.letrec<{map: Values; value: unknown}>((tie) => ({
  map: fc
    .array(fc.tuple(key, tie('value')), {maxLength: 4})
    .map((entries) => Object.fromEntries(entries.filter(([name]) => name !== '__proto__'))),
  value: fc.oneof({maxDepth: 4}, scalar, fc.array(scalar, {maxLength: 3}), tie('map')),
}))

/** Values of one shape: upper-case keys hold maps, the others do not. */
const {steady} = fc.letrec<{steady: Values}>((tie) => ({
  steady: fc.record(
    {
      A: fc.oneof({maxDepth: 4}, fc.constant({}), tie('steady')),
      B: fc.oneof({maxDepth: 4}, fc.constant({}), tie('steady')),
      constructor: scalar,
      list: fc.array(scalar, {maxLength: 3}),
    },
    {requiredKeys: []},
  ),
}))

describe('mergeValues', () => {
  it.each([
    ['maps merge', {a: {b: 1, c: 2}}, {a: {c: 3, d: 4}}, {a: {b: 1, c: 3, d: 4}}],
    ['lists replace', {a: [1, 2, 3]}, {a: [4]}, {a: [4]}],
    ['an empty list replaces', {a: [1]}, {a: []}, {a: []}],
    ['an empty map does not', {a: {b: 1}}, {a: {}}, {a: {b: 1}}],
    ['a scalar replaces a map', {a: {b: 1}}, {a: 1}, {a: 1}],
    ['a map replaces a scalar', {a: 1}, {a: {b: 1}}, {a: {b: 1}}],
    ['a map replaces a list', {a: [1]}, {a: {b: 1}}, {a: {b: 1}}],
    ['null replaces and stays', {a: {b: 1}}, {a: null}, {a: null}],
    ['a scalar in between empties a map', mergeValues({a: {b: 1}}, {a: 0}), {a: {}}, {a: {}}],
    ['null gives way', {a: null}, {a: {b: 1}}, {a: {b: 1}}],
    [
      'keys that objects inherit are keys',
      {a: {}},
      {a: {constructor: 1}, valueOf: 2},
      {a: {constructor: 1}, valueOf: 2},
    ],
  ])('%s', (_, lower, upper, merged) => {
    expect(mergeValues(lower, upper)).toStrictEqual(merged)
  })

  it('can be grouped in any way as long as a map stays a map', () => {
    fc.assert(
      fc.property(steady, steady, steady, (a, b, c) => {
        expect(mergeValues(mergeValues(a, b), c)).toEqual(mergeValues(a, mergeValues(b, c)))
      }),
    )
  })

  it('ignores an empty layer on either side', () => {
    fc.assert(
      fc.property(map, (values) => {
        expect(mergeValues({}, values)).toEqual(values)
        expect(mergeValues(values, {})).toEqual(values)
      }),
    )
  })

  it('has every key of the upper layer, null included', () => {
    fc.assert(
      fc.property(map, map, (lower, upper) => {
        const merged = mergeValues(lower, upper)
        for (const [name, value] of Object.entries(upper)) {
          expect(Object.hasOwn(merged, name)).toBe(true)
          if (value === null) expect(merged[name]).toBeNull()
        }
      }),
    )
  })

  it('does not change its inputs', () => {
    fc.assert(
      fc.property(map, map, (lower, upper) => {
        const before = structuredClone([lower, upper])
        mergeValues(lower, upper)
        expect([lower, upper]).toEqual(before)
      }),
    )
  })

  it('never takes a prototype from a key', () => {
    const merged = mergeValues(
      {a: {b: 1}},
      JSON.parse('{"__proto__": {"x": 1}, "a": {"__proto__": {"x": 1}}}'),
    )

    expect(merged).toStrictEqual({a: {b: 1}})
    expect((merged as {x?: number}).x).toBeUndefined()
    expect((merged.a as {x?: number}).x).toBeUndefined()
    expect(({} as {x?: number}).x).toBeUndefined()
  })
})
