import {createHash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {readdir} from 'node:fs/promises'
import {join, relative} from 'node:path'
import type {Image} from '../image.ts'

/**
 * The hash of all that decides an image: what the inventory says of it, its folder, the programs it carries (path by
 * name) and the digests of the images it stands on. Packages are not among it: a newer one is fetched by `--refresh`.
 */
export async function inputsDigest(
  image: Image,
  parents: readonly string[],
  carried: Readonly<Record<string, string>>,
): Promise<string> {
  const hash = createHash('sha256')
  const {folder, chart: _, ...facts} = image
  hash.update(JSON.stringify([facts, parents]))
  for (const file of await filesBelow(folder))
    hash.update(`\0${relative(folder, file)}\0${await digestFile(file)}`)
  for (const name of image.carries) hash.update(`\0${name}\0${await digestFile(carried[name]!)}`)
  return hash.digest('hex')
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, {recursive: true, withFileTypes: true})
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
