import {type Dirent, readdirSync, readFileSync, realpathSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {KkError} from '../../errors.ts'
import {type Ignores, parseHelmignore} from './helmignore.ts'

/** A file of a chart: its path in the chart, with slashes, and its content. */
export interface ChartFile {
  readonly path: string
  readonly bytes: Buffer
}

/** Helm's `MaxDecompressedFileSize`. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

/**
 * The files of a chart directory that Helm would load, sorted by path: without what `.helmignore` names, links
 * followed. Read synchronously, for it runs in every plan and is several times faster so.
 * Throws `KK_CHART` for what Helm would refuse: sockets and the like, broken links, files above 5 MiB.
 */
export function readChartFiles(directory: string): ChartFile[] {
  const files: ChartFile[] = []
  walk({root: directory, ignores: readIgnores(directory), files}, '', new Set([realpathSync(directory)]))
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

interface Walk {
  readonly root: string
  readonly ignores: Ignores
  readonly files: ChartFile[]
}

/** `linked` are the real directories on the way here: a link to one of them would never end. */
function walk(to: Walk, parent: string, linked: ReadonlySet<string>): void {
  for (const entry of readdirSync(join(to.root, parent), {withFileTypes: true})) {
    const path = parent === '' ? entry.name : `${parent}/${entry.name}`
    const full = join(to.root, path)
    const kind = kindOf(entry, full)
    if (to.ignores(path, kind === 'directory')) continue
    if (kind === 'other')
      throw new KkError('KK_CHART', `${full} is neither a file nor a directory`, {
        hint: 'take it out of the chart, or name it in .helmignore',
      })
    if (kind === 'file') to.files.push({path, bytes: readSmallFile(full)})
    else if (entry.isSymbolicLink()) walk(to, path, follow(full, linked))
    else walk(to, path, linked)
  }
}

function kindOf(entry: Dirent, path: string): 'file' | 'directory' | 'other' {
  const target = entry.isSymbolicLink() ? statSync(path, {throwIfNoEntry: false}) : entry
  if (!target)
    throw new KkError('KK_CHART', `${path} is a link to something that does not exist`, {
      hint: 'correct the link or remove it: helm would refuse this chart too',
    })
  if (target.isFile()) return 'file'
  return target.isDirectory() ? 'directory' : 'other'
}

function follow(path: string, linked: ReadonlySet<string>): ReadonlySet<string> {
  const real = realpathSync(path)
  if (linked.has(real))
    throw new KkError('KK_CHART', `${path} is a link to ${real}, which contains it`, {
      hint: 'remove the link',
    })
  return new Set([...linked, real])
}

function readSmallFile(path: string): Buffer {
  const bytes = readFileSync(path)
  if (bytes.length <= MAX_FILE_BYTES) return bytes
  throw new KkError(
    'KK_CHART',
    `${path} has ${bytes.length} bytes, helm loads files of at most ${MAX_FILE_BYTES}`,
    {
      hint: 'take it out of the chart, or name it in .helmignore',
    },
  )
}

function readIgnores(directory: string): Ignores {
  const file = join(directory, '.helmignore')
  try {
    return parseHelmignore(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return parseHelmignore('', file)
  }
}
