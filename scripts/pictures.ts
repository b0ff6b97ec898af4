import {mkdir, writeFile} from 'node:fs/promises'
import {boardPicture} from './pictures/board-picture.ts'
import {drawings} from './pictures/drawings.ts'
import {graphPicture} from './pictures/graph-picture.ts'
import {pagePictures} from './pictures/page-picture.ts'
import {recordedPictures} from './pictures/recording.ts'
import {servicesPicture} from './pictures/services-picture.ts'

// Draws the pictures of the README and the guides again; a test fails if the drawn ones are stale. With
// --drawn only these: the pages need Chromium, and each Chromium renders them slightly differently. With
// --recorded only the recording of dist/kk, its plan and its report, on a throwaway cluster.
const images = new URL('../docs/images/', import.meta.url)
await mkdir(images, {recursive: true})
const [drawn, recorded] = ['--drawn', '--recorded'].map((flag) => process.argv.includes(flag))
const pictures = new Map<string, string | Buffer>()
if (!recorded) {
  pictures.set('board.svg', await boardPicture())
  pictures.set('graph.svg', await graphPicture())
  pictures.set('services.svg', await servicesPicture())
  for (const [name, svg] of await drawings()) pictures.set(name, svg)
  if (!drawn) for (const [name, png] of await pagePictures()) pictures.set(name, png)
}
if (!drawn) for (const [name, picture] of await recordedPictures()) pictures.set(name, picture)
for (const [name, picture] of pictures) await writeFile(new URL(name, images), picture)
