import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {trimSlash} from '../../helm/package-url.ts'
import {exists} from '../../state/files/exists.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {withLock} from '../../state/lock.ts'
import {dumpYaml} from '../../yaml/dump.ts'
import {readYaml} from '../../yaml/yaml.ts'
import {compareVersions} from '../version.ts'
import {type Destination, type PublishedState, published} from './destination.ts'
import type {PackedChart} from './pack-chart.ts'

interface DirectoryOptions {
  readonly path: string
  /** The URL of the directory; without it helm uses the address of the index. */
  readonly url: string | undefined
  readonly now: Date
}

/** An entry of an index: the content of `Chart.yaml`, and the URL of the package. */
type Entry = Values & {readonly version: string; readonly digest?: string}

/** `index.yaml` in helm's format; unknown content is kept. */
type Index = Values & {readonly entries: Readonly<Record<string, readonly Entry[]>>}

/**
 * Returns a directory that any web server can serve as a repository of charts: packages, and their
 * `index.yaml`.
 */
export function directoryDestination({path, url, now}: DirectoryOptions): Destination {
  const file = join(path, 'index.yaml')
  const stateOf = async (packed: PackedChart) => stateIn(await readIndex(file), packed, path)
  return {
    name: path,
    stateOf,
    add: (packed) =>
      withLock(join(path, '.index.lock'), async () => {
        const index = await readIndex(file)
        const states = await Promise.all(packed.map((each) => stateIn(index, each, path)))
        const conflicts = packed.filter((_, at) => states[at] === 'other')
        if (conflicts.length > 0) throw published(conflicts, path)
        const added = packed.filter((_, at) => states[at] === 'new')
        const signed = packed.filter((_, at) => states[at] !== 'there')
        // The index is written last, so that all packages that it names exist.
        for (const {file, provenance} of signed)
          if (provenance !== undefined) await writeAtomically(join(path, `${file}.prov`), provenance)
        for (const each of added) await writeAtomically(join(path, each.file), each.bytes)
        await writeAtomically(file, dumpYaml(withEntries(index, added, {url, now}), {sortKeys: true}))
      }),
  }
}

async function stateIn(index: Index, packed: PackedChart, path: string): Promise<PublishedState> {
  const entry = index.entries[packed.name]?.find(({version}) => version === packed.version)
  const digest = entry?.digest?.replace(/^sha256:/, '') ?? (await readDigest(join(path, packed.file)))
  if (digest !== undefined && digest !== packed.digest) return 'other'
  if (entry === undefined) return 'new'
  if (digest === undefined) return 'other'
  const isSigned = packed.provenance === undefined || (await exists(join(path, `${packed.file}.prov`)))
  return isSigned ? 'there' : 'unsigned'
}

function withEntries(
  index: Index,
  packed: readonly PackedChart[],
  {url, now}: Pick<DirectoryOptions, 'url' | 'now'>,
): Index {
  const base = url === undefined ? '' : `${trimSlash(url)}/`
  const created = now.toISOString()
  const entries: Record<string, readonly Entry[]> = {...index.entries}
  for (const {name, version, file, digest, metadata} of packed) {
    const entry = {...metadata, version, urls: [`${base}${file}`], created, digest}
    entries[name] = [...(entries[name] ?? []), entry].sort((a, b) => compareVersions(b.version, a.version))
  }
  return {...index, entries, generated: created}
}

async function readIndex(file: string): Promise<Index> {
  const text = await readContent(file)
  if (text === undefined) return {apiVersion: 'v1', entries: {}}
  const index = readYaml(text.toString(), {file})
  if (isMap(index) && isEntries(index.entries ?? {}))
    return {...index, entries: {...(index.entries as Index['entries'])}}
  throw new KkError('KK_FILE', `${file}: expected an index of charts, with lists of versions below entries`, {
    hint: 'create it again with helm repo index, or publish into another directory',
  })
}

function isEntries(entries: unknown): boolean {
  return (
    isMap(entries) &&
    Object.values(entries).every(
      (list) => Array.isArray(list) && list.every((each) => isMap(each) && typeof each.version === 'string'),
    )
  )
}

async function readDigest(path: string): Promise<string | undefined> {
  const bytes = await readContent(path)
  return bytes && createHash('sha256').update(bytes).digest('hex')
}

async function readContent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
