import {readFile} from 'node:fs/promises'
import {imageArchive} from './image-archive.ts'

/** What holds the namespaces of every pod. */
export const PAUSE_IMAGE = 'localhost/kk-pause:1'

/** The image of `toolbox/node/cmd/pause`, in the format of `docker save`. */
export async function pauseImage(binary: string): Promise<Buffer> {
  return imageArchive({
    name: PAUSE_IMAGE,
    files: {pause: await readFile(binary)},
    entrypoint: ['/pause'],
  })
}
