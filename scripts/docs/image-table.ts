import {join} from 'node:path'
import {readImages} from '../../src/images/inventory/read-images.ts'
import {markdownTable} from './marked.ts'

/** Returns the part of `docs/image-list.md`: each image of `images/images.yaml`, in its order. */
export async function imageTable(): Promise<Record<string, string>> {
  const images = await readImages(join(import.meta.dirname, '../../images'))
  const rows = images.map(({name, title, tag, parents, chart}) => [
    `\`${name}\``,
    title,
    `\`${tag}\``,
    parents.map((parent) => `\`${parent}\``).join(', '),
    chart === undefined ? '' : `\`${chart}\``,
  ])
  return {images: markdownTable(['image', 'what it is', 'tag', 'based on', 'place in `images.tags`'], rows)}
}
