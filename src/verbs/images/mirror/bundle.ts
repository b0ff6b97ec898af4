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

/** The content of a mirror directory for one environment. */
export interface Bundle extends MirrorSettings {
  /** The digest of each image by its name in the charts. */
  readonly images: Readonly<Record<string, string>>
  /** The files of the charts' packages, in `charts/`. */
  readonly charts: readonly string[]
}

/** The placeholder in the settings of a bundle for the registry that it will be pushed to. */
export const REGISTRY = 'REGISTRY'

const FILE = 'mirror.yaml'
const LOCK = '.mirror.lock'
const HEAD = '# Written by kk images mirror: what this directory has for each environment.\n'

/** Returns the directory of chart packages in a bundle; with its `index.yaml` it is a Helm repository. */
export function chartsOf(directory: string): string {
  return join(directory, 'charts')
}

/**
 * Rejects with `KK_DIRECTORY_IN_USE` for a non-empty directory without images or a bundle: its `charts/` may
 * belong to the user. A directory with images but no bundle is from an interrupted run.
 */
export async function expectBundle(directory: string): Promise<void> {
  const names: readonly string[] = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.includes(FILE) || names.includes('blobs')) return
  const unrelated = names.filter((name) => name !== LOCK).sort()
  if (unrelated.length > 0) throw inUse(directory, unrelated)
}

/** Runs `body` while holding the lock of the directory, so that no other process writes a bundle into it. */
export function whileLocked(directory: string, body: () => Promise<void>): Promise<void> {
  return withLock(join(directory, LOCK), body)
}

/**
 * Writes the bundle of an environment. Bundles of other environments stay; shared images get the new digests.
 */
export async function writeBundle(directory: string, environment: string, bundle: Bundle): Promise<void> {
  const otherBundles = Object.entries(await readBundles(directory)).map(([name, other]) => {
    const images = Object.entries(other.images).map(([image, digest]) => [
      image,
      bundle.images[image] ?? digest,
    ])
    return [name, {...other, images: Object.fromEntries(images)}] as const
  })
  const environments = {...Object.fromEntries(otherBundles), [environment]: bundle}
  await writeAtomically(join(directory, FILE), HEAD + dumpYaml({environments}))
}

/** Returns the bundles of a directory by environment; empty without a bundle file. Rejects with `KK_FILE`. */
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
    hint: 're-create the directory with kk images mirror --to DIR',
  })
}

function isBundle(value: unknown): boolean {
  if (!isMap(value) || !isMap(value.images) || !isMap(value.settings)) return false
  return [value.charts, value.unplaced].every(
    (list) => Array.isArray(list) && list.every((each) => typeof each === 'string'),
  )
}

/**
 * Returns the images and charts of all environments in a directory. Rejects with `KK_FILE` if it has none.
 */
export async function bundleContents(directory: string): Promise<MirrorContents> {
  const bundles = Object.values(await readBundles(directory))
  if (bundles.length === 0)
    throw new KkError('KK_FILE', `${directory} has no ${FILE}`, {
      hint: 'name a directory that kk images mirror --to DIR has created',
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

/** Reads a package of a bundle and compares it with the index of its directory. Rejects with `KK_FILE`. */
async function carriedPackage(directory: string, file: string): Promise<PackedChart> {
  const path = join(directory, file)
  const packed = basename(file) === file && existsSync(path) ? await readPackage(path) : undefined
  const {stateOf} = directoryDestination({path: directory, url: undefined, now: new Date()})
  if (packed && (await stateOf(packed)) === 'there') return packed
  throw new KkError('KK_FILE', `${path} is missing or has changed`, {
    hint: 'copy the directory again from its source, or run kk images mirror there again',
  })
}

/** Returns the settings of a bundle with `REGISTRY` replaced by a registry. */
export function settingsFor(settings: Values, registry: string): Values {
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/^((?:oci:\/\/)?)REGISTRY(?=\/|$)/, `$1${registry}`)
    if (Array.isArray(value)) return value.map(filled)
    if (!isMap(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each)]))
  }
  return filled(settings) as Values
}
