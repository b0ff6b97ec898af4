import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {KnownRelease} from '../../../src/graph/inference/facts.ts'
import {inferenceOf, known, lines, object, provides, want} from './known.ts'

/** Releases by number: each has a Service of its own and waits for some others'. */
const arbitraryWaits = fc
  .integer({min: 2, max: 8})
  .chain((count) => fc.array(fc.uniqueArray(fc.nat(count - 1)), {minLength: count, maxLength: count}))

function releasesOf(waits: readonly (readonly number[])[], name: (index: number) => string): KnownRelease[] {
  return waits.map((others, index) =>
    known(name(index), {
      wants: others.map((other) => want(object(`Service/${name(other)}-api`))),
      provided: provides(`Service/${name(index)}-api`),
    }),
  )
}

describe('inferred requirements', () => {
  it('do not depend on names', () => {
    fc.assert(
      fc.property(arbitraryWaits, (waits) => {
        const before = lines(inferenceOf(releasesOf(waits, (index) => `r${index}`)))
        const after = lines(inferenceOf(releasesOf(waits, (index) => `other${index}`)))

        expect(after.map((line) => line.replaceAll('other', 'r'))).toEqual(before)
      }),
    )
  })

  it('are exactly the waits for other releases', () => {
    fc.assert(
      fc.property(arbitraryWaits, (waits) => {
        const expected = waits.flatMap((others, index) =>
          others.filter((other) => other !== index).map((other) => `r${index} -> r${other} ready`),
        )

        expect(lines(inferenceOf(releasesOf(waits, (index) => `r${index}`)))).toEqual(expected)
      }),
    )
  })

  it('are ambiguous if a second release provides the wanted object', () => {
    fc.assert(
      fc.property(arbitraryWaits, fc.nat(), (waits, seed) => {
        const releases = releasesOf(waits, (index) => `r${index}`)
        const doubled = seed % waits.length
        const twin = {...releases[doubled]!, release: 'openstack/twin' as const}
        // No name may tell the two apart.
        const both = [...releases.filter((_, index) => index !== doubled), twin].concat({
          ...twin,
          release: 'openstack/brother',
        })

        const {ambiguous} = inferenceOf(both)

        const askers = waits.filter((others, index) => index !== doubled && others.includes(doubled))
        expect(ambiguous).toHaveLength(askers.length)
      }),
    )
  })
})
