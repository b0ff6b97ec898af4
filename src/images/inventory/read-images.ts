import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import type {Image} from '../image.ts'

interface Inventory {
  readonly namespace: string
  readonly tag: string
  /** OpenStack releases other than the one of `tag`. */
  readonly releases: Readonly<Record<string, {readonly tag: string}>>
  readonly images: Readonly<Record<string, Entry & {readonly releases?: Readonly<Record<string, Changes>>}>>
}

type Entry = Partial<Image> & Pick<Image, 'title' | 'version'> & {readonly image?: string}
/** The differences of an image in another release. */
type Changes = Partial<Entry>

/** An entry with the name of its image; `release` is undefined for the inventory's own release. */
interface NamedEntry {
  readonly name: string
  readonly entry: Entry
  readonly release: string | undefined
}

/** Returns every image below the folder `images/`, in the order of the file, in which parents come first. */
export async function readImages(directory: string): Promise<readonly Image[]> {
  const inventory = load(await readFile(join(directory, 'images.yaml'), 'utf8')) as Inventory
  const entries = Object.entries(inventory.images).flatMap(([name, {releases = {}, ...entry}]) => [
    {name, entry, release: undefined},
    ...Object.entries(releases).map(([release, changes]) => ({
      name: releaseImageName(name, release),
      entry: {image: name, folder: name, ...entry, ...changes},
      release,
    })),
  ])
  const names = new Set(entries.map(({name}) => name))
  return Promise.all(entries.map((each) => readImage(directory, inventory, each, names)))
}

/** Returns the name of an image of another release: `keystone-2026.1`. */
function releaseImageName(name: string, release: string): string {
  return `${name}-${release}`
}

async function readImage(
  directory: string,
  {namespace, tag, releases}: Inventory,
  {name, entry, release}: NamedEntry,
  names: ReadonlySet<string>,
): Promise<Image> {
  const folder = join(directory, entry.folder ?? name)
  const containerfile = entry.containerfile ?? 'Containerfile'
  const parents = parentsIn(await readFile(join(folder, containerfile), 'utf8'), namespace)
  // Based on images of its release as far as they exist: `base` is shared by all releases.
  const released =
    release === undefined ? [] : parents.filter((parent) => names.has(releaseImageName(parent, release)))
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
    parents: parents.map((parent) =>
      released.includes(parent) ? releaseImageName(parent, release!) : parent,
    ),
    chart: entry.chart,
  }
}

/** `FROM localhost/kk/base:${TAG}`: returns the distinct kk images that a Containerfile is based on. */
function parentsIn(containerfile: string, namespace: string): readonly string[] {
  const matches = containerfile.matchAll(/^FROM\s+localhost\/(?<repository>\S+):\$\{TAG\}/gm)
  const prefix = `${namespace}/`
  return [
    ...new Set(
      [...matches]
        .map(({groups}) => groups!.repository!)
        .filter((repository) => repository.startsWith(prefix))
        .map((repository) => repository.slice(prefix.length)),
    ),
  ]
}
