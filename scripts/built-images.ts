import {join} from 'node:path'
import {execa} from 'execa'

const ROOT = join(import.meta.dirname, '..')
const LIST = [join(ROOT, 'bin/kk.ts'), 'images', 'list', '--output', 'json']

interface ListedImage {
  readonly name: string
  readonly parents: readonly string[]
  readonly state: string
}

/** Whether the images of the charts are built on this machine. That of kk itself changes with each line of the program: it is built anew, quickly. */
export async function areImagesBuilt(): Promise<boolean> {
  const {stdout, exitCode} = await execa(process.execPath, LIST, {reject: false})
  if (exitCode !== 0) return false
  const {images} = JSON.parse(stdout) as {readonly images: readonly ListedImage[]}
  return images.every(({name, parents, state}) => [name, ...parents].includes('kk') || state === 'current')
}
