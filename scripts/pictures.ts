import {mkdir, writeFile} from 'node:fs/promises'
import {boardPicture} from './pictures/board-picture.ts'
import {drawings} from './pictures/drawings.ts'
import {graphPicture} from './pictures/graph-picture.ts'
import {pagePicture} from './pictures/page-picture.ts'
import {servicesPicture} from './pictures/services-picture.ts'

// Draws the pictures of the README and the guides again; a test fails if the drawn ones are stale. With
// --drawn only these: the page needs Chromium, and each Chromium renders it slightly differently.
const images = new URL('../docs/images/', import.meta.url)
await mkdir(images, {recursive: true})
await writeFile(new URL('board.svg', images), await boardPicture())
await writeFile(new URL('graph.svg', images), await graphPicture())
await writeFile(new URL('services.svg', images), await servicesPicture())
for (const [name, svg] of await drawings()) await writeFile(new URL(name, images), svg)
if (!process.argv.includes('--drawn')) await writeFile(new URL('page.png', images), await pagePicture())
