import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {collectionStore} from '../../../src/kubernetes/watch/store.ts'

const object = (name: string, version: number) => ({metadata: {name, resourceVersion: String(version)}})

interface Change {
  readonly name: string
  readonly version: number
  readonly isRemoval: boolean
}

/** Changes with a version each, and an order in which they arrive. */
const changes = fc
  .array(fc.record({name: fc.constantFrom('a', 'b', 'c'), isRemoval: fc.boolean()}), {maxLength: 20})
  .map((list) => list.map((change, index): Change => ({...change, version: index + 1})))
  .chain((inOrder) =>
    fc.tuple(fc.constant(inOrder), fc.shuffledSubarray(inOrder, {minLength: inOrder.length})),
  )

describe('a store of objects', () => {
  it('ends with the newest of each object in whatever order the changes arrive', () => {
    fc.assert(
      fc.property(changes, ([inOrder, asTheyArrive]) => {
        const store = collectionStore()
        const newest = new Map(inOrder.map((change) => [change.name, change]))

        for (const {name, version, isRemoval} of asTheyArrive) {
          if (isRemoval) store.remove(object(name, version))
          else store.put(object(name, version))
        }

        const expected = [...newest.values()].filter(({isRemoval}) => !isRemoval)
        const sorted = (list: readonly {name: string}[]) =>
          [...list].sort((x, y) => (x.name < y.name ? -1 : 1))
        expect(sorted(store.all().map(({metadata}) => metadata))).toEqual(
          sorted(expected.map(({name, version}) => object(name, version).metadata)),
        )
      }),
    )
  })

  it('removes objects that a list does not contain, unless they are newer than the list', () => {
    const store = collectionStore()
    store.put(object('old', 1))
    store.put(object('new', 9))

    store.replace([object('listed', 4)], '5')

    expect(
      store
        .all()
        .map(({metadata}) => metadata.name)
        .sort(),
    ).toEqual(['listed', 'new'])
  })
})
