import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {difference} from '../../src/overrides/layers.ts'

describe('difference', () => {
  it.each([
    ['nothing', {a: 1}, {a: 1}, {}],
    ['a new key', {a: 1}, {a: 1, b: 2}, {b: 2}],
    ['a key inside', {a: {b: 1, c: 2}}, {a: {b: 1, c: 3}}, {a: {c: 3}}],
    ['a whole list', {a: [1, 2]}, {a: [1, 3]}, {a: [1, 3]}],
    ['null', {a: 1}, {a: null}, {a: null}],
    ['an empty map in the place of nothing', {}, {a: {}}, {a: {}}],
  ])('finds %s', (_, below, above, expected) => {
    expect(difference(below, above)).toEqual(expected)
  })

  it('merged over the lower values gives the upper ones', () => {
    const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({maxDepth: 3}))
    fc.assert(
      fc.property(values, values, (below, upper) => {
        const above = mergeValues(below, upper)
        expect(mergeValues(below, difference(below, above))).toEqual(above)
      }),
    )
  })
})
