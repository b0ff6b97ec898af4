import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import type {Image} from '../image.ts'

interface Inventory {
  readonly namespace: string
  readonly tag: string
  readonly images: Readonly<Record<string, Entry>>
}

type Entry = Partial<Image> & Pick<Image, 'title' | 'version'> & {readonly image?: string}

/** Every image below the folder `images/`, in the order of the file; those that others stand on come first there. */
export async function readImages(directory: string): Promise<readonly Image[]> {
  const inventory = load(await readFile(join(directory, 'images.yaml'), 'utf8')) as Inventory
  return Promise.all(
    Object.entries(inventory.images).map(([name, entry]) => readImage(directory, inventory, name, entry)),
  )
}

async function readImage(
  directory: string,
  {namespace, tag}: Inventory,
  name: string,
  entry: Entry,
): Promise<Image> {
  const folder = join(directory, entry.folder ?? name)
  const containerfile = entry.containerfile ?? 'Containerfile'
  return {
    name,
    repository: `${namespace}/${entry.image ?? name}`,
    tag: entry.tag ?? tag,
    title: entry.title,
    source: entry.source,
    version: entry.version,
    folder,
    containerfile,
    arguments: {TAG: tag, ...entry.arguments},
    carries: entry.carries ?? [],
    rootfs: entry.rootfs,
    parents: parentsIn(await readFile(join(folder, containerfile), 'utf8'), namespace),
    chart: entry.chart,
  }
}

/** `FROM localhost/kk/base:${TAG}`: the images of kk that a Containerfile starts from, each once. */
function parentsIn(containerfile: string, namespace: string): readonly string[] {
  const found = containerfile.matchAll(/^FROM\s+localhost\/(?<repository>\S+):\$\{TAG\}/gm)
  const prefix = `${namespace}/`
  return [
    ...new Set(
      [...found]
        .map(({groups}) => groups!.repository!)
        .filter((repository) => repository.startsWith(prefix))
        .map((repository) => repository.slice(prefix.length)),
    ),
  ]
}
