import {type Dirent, readdirSync, readFileSync, realpathSync, statSync} from 'node:fs'
import {writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {pathPattern} from '../../base/path-pattern.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'

/** A file of a chart: its path in the chart, with slashes, and its content. */
export interface ChartFile {
  readonly path: string
  readonly bytes: Buffer
}

/** Helm's `MaxDecompressedFileSize`. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

/**
 * Returns the files of a chart directory that Helm would load, sorted by path: without those that
 * `.helmignore` excludes, links followed. Read synchronously, which is several times faster, because it runs
 * in every plan. Throws `KK_CHART` for files that Helm would refuse: sockets and the like, broken links,
 * files above 5 MiB.
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

/** `linked` are the real directories of the parents: a link to one of them would be endless. */
function walk(to: Walk, parent: string, linked: ReadonlySet<string>): void {
  for (const entry of readdirSync(join(to.root, parent), {withFileTypes: true})) {
    const path = parent === '' ? entry.name : `${parent}/${entry.name}`
    const full = join(to.root, path)
    const kind = fileKind(entry, full)
    if (to.ignores(path, kind === 'directory')) continue
    if (kind === 'other')
      throw new KkError('KK_CHART', `${full} is neither a file nor a directory`, {
        hint: 'remove it from the chart, or name it in .helmignore',
      })
    if (kind === 'file') to.files.push({path, bytes: readSmallFile(full)})
    else if (entry.isSymbolicLink()) walk(to, path, follow(full, linked))
    else walk(to, path, linked)
  }
}

function fileKind(entry: Dirent, path: string): 'file' | 'directory' | 'other' {
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
    {hint: 'remove it from the chart, or name it in .helmignore'},
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

/** Returns true for a path that Helm excludes; it is relative to the chart and has no trailing slash. */
type Ignores = (path: string, isDirectory: boolean) => boolean

interface Rule {
  readonly negated: boolean
  readonly directoriesOnly: boolean
  matches(path: string): boolean
}

/** The paths that Helm excludes from every chart (`Rules.AddDefaults`). */
const DEFAULTS = ['templates/.?*']

/**
 * Returns the rules of a `.helmignore`, as Helm's `pkg/ignore/rules.go` parses them: the first matching rule
 * decides, and a negated one excludes everything that does *not* match. Throws `KK_CHART` with the line that
 * Helm would refuse.
 */
function parseHelmignore(text: string, file: string): Ignores {
  const lines = text.replace(/^\ufeff/, '').split('\n')
  const ownRules = lines.map((line, index) => parseRule(line.trim(), `${file}:${index + 1}`))
  const rules = [...ownRules, ...DEFAULTS.map((line) => parseRule(line, file))].filter(
    (rule) => rule !== undefined,
  )
  return (path, isDirectory) => {
    for (const rule of rules) {
      const applies = (isDirectory || !rule.directoriesOnly) && rule.matches(path)
      if (applies !== rule.negated) return true
    }
    return false
  }
}

function parseRule(line: string, place: string): Rule | undefined {
  if (line === '' || line.startsWith('#')) return undefined
  if (line.includes('**')) throw refused(place, 'Helm does not support ** in .helmignore')
  if (!pathPattern(line)) throw refused(place, `the pattern ${JSON.stringify(line)} is malformed`)

  const negated = line.startsWith('!')
  const unsigned = negated ? line.slice(1) : line
  const directoriesOnly = unsigned.endsWith('/')
  const path = directoriesOnly ? unsigned.slice(0, -1) : unsigned
  const wholePath = path.includes('/')
  const pattern = pathPattern(path.replace(/^\//, ''))
  return {
    negated,
    directoriesOnly,
    matches: (name) => pattern?.test(wholePath ? name : name.slice(name.lastIndexOf('/') + 1)) ?? false,
  }
}

function refused(place: string, reason: string): KkError {
  return new KkError('KK_CHART', `${place}: ${reason}`, {
    hint: 'correct the rule: helm would refuse this chart too',
  })
}

/** Writes the files of a chart below a directory; only their owner can read them. */
export async function writeChartFiles(files: readonly ChartFile[], directory: string): Promise<void> {
  const folders = new Set(files.map(({path}) => dirname(path)))
  for (const folder of folders) await makeDirectory(join(directory, folder), {mode: 0o700})
  for (const {path, bytes} of files) await writeFile(join(directory, path), bytes, {mode: 0o600})
}
