import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import type {Image} from '../image.ts'

interface Inventory {
  readonly namespace: string
  readonly tag: string
  /** Releases of OpenStack beside the one of `tag`. */
  readonly releases: Readonly<Record<string, {readonly tag: string}>>
  readonly images: Readonly<Record<string, Entry & {readonly releases?: Readonly<Record<string, Changes>>}>>
}

type Entry = Partial<Image> & Pick<Image, 'title' | 'version'> & {readonly image?: string}
/** What differs of an image in another release. */
type Changes = Partial<Entry>

/** An entry by the name of its image, of a release unless it is of the inventory's own. */
interface Described {
  readonly name: string
  readonly entry: Entry
  readonly release: string | undefined
}

/** Every image below the folder `images/`, in the order of the file; those that others stand on come first there. */
export async function readImages(directory: string): Promise<readonly Image[]> {
  const inventory = load(await readFile(join(directory, 'images.yaml'), 'utf8')) as Inventory
  const described = Object.entries(inventory.images).flatMap(([name, {releases = {}, ...entry}]) => [
    {name, entry, release: undefined},
    ...Object.entries(releases).map(([release, changes]) => ({
      name: ofRelease(name, release),
      entry: {image: name, folder: name, ...entry, ...changes},
      release,
    })),
  ])
  const names = new Set(described.map(({name}) => name))
  return Promise.all(described.map((each) => readImage(directory, inventory, each, names)))
}

/** The name of an image of another release: `keystone-2026.1`. */
function ofRelease(name: string, release: string): string {
  return `${name}-${release}`
}

async function readImage(
  directory: string,
  {namespace, tag, releases}: Inventory,
  {name, entry, release}: Described,
  names: ReadonlySet<string>,
): Promise<Image> {
  const folder = join(directory, entry.folder ?? name)
  const containerfile = entry.containerfile ?? 'Containerfile'
  const parents = parentsIn(await readFile(join(folder, containerfile), 'utf8'), namespace)
  // It stands on images of its release as far as there are any: `base` is the same for all.
  const released =
    release === undefined ? [] : parents.filter((parent) => names.has(ofRelease(parent, release)))
  const own = release === undefined ? tag : releases[release]!.tag
  return {
    name,
    repository: `${namespace}/${entry.image ?? name}`,
    tag: entry.tag ?? own,
    title: entry.title,
    source: entry.source,
    version: entry.version,
    folder,
    containerfile,
    arguments: {TAG: released.length > 0 ? own : tag, ...(release && {RELEASE: release}), ...entry.arguments},
    carries: entry.carries ?? [],
    rootfs: entry.rootfs,
    go: entry.go,
    parents: parents.map((parent) => (released.includes(parent) ? ofRelease(parent, release!) : parent)),
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
