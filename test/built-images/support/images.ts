import {join} from 'node:path'
import type {Image} from '../../../src/images/image.ts'
import {readImages} from '../../../src/images/inventory/read-images.ts'

export const IMAGES = await readImages(join(import.meta.dirname, '../../../images'))

export function imageOf(name: string): Image {
  const found = IMAGES.find((image) => image.name === name)
  if (found === undefined) throw new Error(`there is no image ${name}`)
  return found
}

/** What each release of OpenStack has of an image. */
export function releasesOf(name: string): readonly Image[] {
  return IMAGES.filter((image) => image.name === name || image.name.startsWith(`${name}-20`))
}
