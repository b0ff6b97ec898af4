import {existsSync} from 'node:fs'
import {readdir, readFile} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {KkError} from '../../../base/errors.ts'
import {isMap, type Values} from '../../../base/values.ts'
import {directoryDestination} from '../../../charts/publishing/destination-directory.ts'
import type {PackedChart} from '../../../charts/publishing/pack-chart.ts'
import {openLayout} from '../../../images/registry/layout.ts'
import {parseReference} from '../../../images/registry/reference.ts'
import {inUse} from '../../../state/files/owned-files.ts'
import {writeAtomically} from '../../../state/files/write-atomically.ts'
import {withLock} from '../../../state/lock.ts'
import {dumpYaml} from '../../../yaml/dump.ts'
import {readYaml} from '../../../yaml/yaml.ts'
import {readPackage} from '../../charts/package-charts.ts'
import type {MirrorContents} from './contents.ts'
import type {MirrorSettings} from './settings.ts'

/** What a directory holds of one environment. */
export interface Bundle extends MirrorSettings {
  /** The digest of each image by its name in the charts. */
  readonly images: Readonly<Record<string, string>>
  /** The files of the charts' packages, in `charts/`. */
  readonly charts: readonly string[]
}

/** Stands in the settings of a bundle for the registry that it is put into. */
export const REGISTRY = 'REGISTRY'

const FILE = 'mirror.yaml'
const LOCK = '.mirror.lock'
const HEAD = '# Written by kk images mirror: what this directory has for each environment.\n'

/** The directory of a bundle where the packages of charts are; `index.yaml` beside them makes it a repository. */
export function chartsOf(directory: string): string {
  return join(directory, 'charts')
}

/**
 * Rejects with `KK_DIRECTORY_IN_USE` for a directory that has something, and neither images nor a bundle: its `charts/` may be
 * somebody's own. Where there are images, an earlier run was interrupted.
 */
export async function expectBundle(directory: string): Promise<void> {
  const names: readonly string[] = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.includes(FILE) || names.includes('blobs')) return
  const others = names.filter((name) => name !== LOCK).sort()
  if (others.length > 0) throw inUse(directory, others)
}

/** Runs `body` while no other process writes a bundle into the directory. */
export function whileLocked(directory: string, body: () => Promise<void>): Promise<void> {
  return withLock(join(directory, LOCK), body)
}

/** Writes what a directory has for an environment. What it has for others stays, with the digests that their images now have. */
export async function writeBundle(directory: string, environment: string, bundle: Bundle): Promise<void> {
  const others = Object.entries(await readBundles(directory)).map(([name, other]) => {
    const images = Object.entries(other.images).map(([image, digest]) => [
      image,
      bundle.images[image] ?? digest,
    ])
    return [name, {...other, images: Object.fromEntries(images)}] as const
  })
  const environments = {...Object.fromEntries(others), [environment]: bundle}
  await writeAtomically(join(directory, FILE), HEAD + dumpYaml({environments}))
}

/** Returns what a directory has, by environment; nothing where there is none. Rejects with `KK_FILE`. */
export async function readBundles(directory: string): Promise<Readonly<Record<string, Bundle>>> {
  const file = join(directory, FILE)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return {}
  const content = readYaml(text, {file})
  if (isMap(content) && isMap(content.environments) && Object.values(content.environments).every(isBundle))
    return content.environments as Readonly<Record<string, Bundle>>
  throw new KkError('KK_FILE', `${file}: expected images, charts and settings of environments`, {
    hint: 'make the directory anew with kk images mirror --to DIR',
  })
}

function isBundle(value: unknown): boolean {
  if (!isMap(value) || !isMap(value.images) || !isMap(value.settings)) return false
  return [value.charts, value.unplaced].every(
    (list) => Array.isArray(list) && list.every((each) => typeof each === 'string'),
  )
}

/** Returns all that a directory has, for all environments. Rejects with `KK_FILE` where it has nothing. */
export async function bundleContents(directory: string): Promise<MirrorContents> {
  const bundles = Object.values(await readBundles(directory))
  if (bundles.length === 0)
    throw new KkError('KK_FILE', `${directory} has no ${FILE}`, {
      hint: 'name a directory that kk images mirror --to DIR has made',
    })
  const store = openLayout(directory)
  const images = new Map(bundles.flatMap((bundle) => Object.entries(bundle.images)))
  const files = new Set(bundles.flatMap(({charts}) => charts))
  return {
    images: [...images].map(([image, digest]) => {
      const {repository} = parseReference(image)
      return {image, digest, from: {store, repository}}
    }),
    charts: await Promise.all([...files].map((file) => carriedPackage(chartsOf(directory), file))),
  }
}

/** Reads a package that was carried, and compares it with what the index beside it has. Rejects with `KK_FILE`. */
async function carriedPackage(directory: string, file: string): Promise<PackedChart> {
  const path = join(directory, file)
  const packed = basename(file) === file && existsSync(path) ? await readPackage(path) : undefined
  const {stateOf} = directoryDestination({path: directory, url: undefined, now: new Date()})
  if (packed && (await stateOf(packed)) === 'there') return packed
  throw new KkError('KK_FILE', `${path} is missing, or not what it was`, {
    hint: 'copy the directory again from where it was made, or run kk images mirror there again',
  })
}

/** Returns settings of a bundle for the registry that it is put into. */
export function settingsFor(settings: Values, registry: string): Values {
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/^((?:oci:\/\/)?)REGISTRY(?=\/|$)/, `$1${registry}`)
    if (Array.isArray(value)) return value.map(filled)
    if (!isMap(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each)]))
  }
  return filled(settings) as Values
}
