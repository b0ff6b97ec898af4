import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import type {Image} from '../../src/images/image.ts'
import {chooseImages} from '../../src/images/inventory/choose-images.ts'
import {readImages} from '../../src/images/inventory/read-images.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The registry of the node. */
export const REGISTRY = 'localhost:5010'

interface Bringing {
  /** The binary. */
  readonly kk: string
  /** By default those of `environments/cloud.yaml`. */
  readonly names?: readonly string[]
  /** The output of the programs that do it. */
  readonly stdio: 'inherit' | ['ignore', 'pipe', 'pipe']
}

/**
 * Brings images to the registry of the node: builds those whose sources changed or, if the variable
 * `KK_IMAGES` names a registry and its folder (`registry.example.org/kk`), copies them from there.
 */
export async function bringImages({kk, names, stdio}: Bringing): Promise<void> {
  const images = names ?? (await deployedImages()).map(({name}) => name)
  const from = process.env['KK_IMAGES']
  if (!from) {
    await execa(kk, ['images', 'build', ...images, '--push', REGISTRY], {cwd: ROOT, stdio})
    return
  }
  for (const {repository, tag} of chooseImages(await readImages(join(ROOT, 'images')), images)) {
    const source = `${from}/${repository.replace(/^kk\//, '')}:${tag}`
    await execa('buildah', ['pull', '--quiet', `docker://${source}`], {stdio})
    const to = `docker://${REGISTRY}/${repository}:${tag}`
    await execa('buildah', ['push', '--quiet', '--tls-verify=false', source, to], {stdio})
  }
}

/**
 * The images of the releases of `environments/NAME.yaml`, by their keys in `images.tags`, and their parents.
 */
export async function deployedImages(name = 'cloud') {
  const {
    kk: _,
    global: __,
    ...sections
  } = load(await readFile(join(ROOT, `environments/${name}.yaml`), 'utf8')) as Readonly<
    Record<string, unknown>
  >
  const releases = ['dep_check', ...Object.keys(sections)]
  const images = await readImages(join(ROOT, 'images'))
  const {tag} = images.find(({name}) => name === 'base')!
  const isDeployed = ({chart = '', ...image}: Image) =>
    image.tag === tag && releases.some((release) => chart === release || chart.startsWith(`${release}_`))
  const names = new Set(images.filter(isDeployed).map((image) => image.name))
  // Names are added to the set during this iteration.
  for (const each of names) {
    for (const parent of images.find((image) => image.name === each)!.parents) names.add(parent)
  }
  return images.filter((image) => names.has(image.name))
}
