import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import type {Image} from '../image.ts'

/**
 * Returns the images with these names, or all images without names, in inventory order. Throws `KK_USAGE`.
 */
export function chooseImages(images: readonly Image[], names: readonly string[]): readonly Image[] {
  for (const name of names) if (!images.some((image) => image.name === name)) throw unknown(name, images)
  return names.length === 0 ? images : images.filter(({name}) => names.includes(name))
}

/** Returns these images and all that they are based on, in inventory order. */
export function withParents(images: readonly Image[], chosen: readonly Image[]): readonly Image[] {
  const names = new Set<string>()
  const add = (name: string) => {
    if (names.has(name)) return
    names.add(name)
    for (const parent of images.find((image) => image.name === name)?.parents ?? []) add(parent)
  }
  for (const {name} of chosen) add(name)
  return images.filter(({name}) => names.has(name))
}

function unknown(name: string, images: readonly Image[]): KkError {
  const names = images.map((image) => image.name)
  const suggestion = suggest(name, names)
  return new KkError('KK_USAGE', `kk has no image ${JSON.stringify(name)}`, {
    hint: suggestion ? `did you mean ${suggestion}?` : 'kk images list prints all',
  })
}
