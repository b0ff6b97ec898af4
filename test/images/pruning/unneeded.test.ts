import {describe, expect, it} from 'vitest'
import {type StoredImage, unneededImages} from '../../../src/images/pruning/unneeded.ts'

const REFERENCES = new Set(['localhost/kk/base:13', 'localhost/kk/keystone:13'])

/** An image of layers of ten bytes each, `root` first. */
function stored(id: string, layers: string, given: Partial<StoredImage> = {}): StoredImage {
  return {
    id,
    names: [],
    layers: layers.split(' ').map((digest) => ({digest, bytes: 10})),
    labelled: false,
    ...given,
  }
}

const BASE = stored('base', 'root b', {names: ['localhost/kk/base:13'], labelled: true})
const KEYSTONE = stored('keystone', 'root b k1 k2', {names: ['localhost/kk/keystone:13'], labelled: true})
const CURRENT = [BASE, KEYSTONE]

function unneeded(...others: readonly StoredImage[]) {
  return unneededImages([...CURRENT, ...others], {references: REFERENCES, ids: new Set(['base', 'keystone'])})
}

describe('pruning images of buildah', () => {
  it.each<[string, StoredImage]>([
    ['a step of an image that is built now', stored('step', 'root b k1')],
    ['an image built by another tool', stored('other', 'rock o', {names: ['quay.io/other:1']})],
    ['what others left without a name', stored('other', 'rock o')],
    ['an image of one’s own on one of kk’s', stored('own', 'root b o', {names: ['localhost/me/own:1']})],
  ])('keeps %s', (_, image) => {
    expect(unneeded(image)).toEqual([])
  })

  it.each<[string, StoredImage]>([
    ['an image that kk builds no more', stored('gone', 'root b g', {names: ['localhost/kk/gone:13']})],
    ['one of an earlier Debian', stored('old', 'ruin o', {names: ['localhost/kk/base:12'], labelled: true})],
    ['one whose name a newer build took', stored('old', 'root b old', {labelled: true})],
    ['a step of nothing that is built now', stored('step', 'root b old')],
  ])('removes %s', (_, image) => {
    expect(unneeded(image)).toEqual([expect.objectContaining({id: image.id})])
  })

  it('removes children before parents, and counts each layer once', () => {
    const step = stored('step', 'root b x')
    const old = stored('old', 'root b x y', {labelled: true})

    expect(unneeded(step, old)).toEqual([
      {id: 'old', names: [], bytes: 20},
      {id: 'step', names: [], bytes: 0},
    ])
  })
})
