import {readdir, stat} from 'node:fs/promises'
import {join, relative} from 'node:path'
import {KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import {readNamedFile, readStandardInput} from '../state/files/named-file.ts'
import {readYamlDocuments} from '../yaml/yaml.ts'

/** A document of YAML and its file, relative to the directory that was named. */
export interface FileDocument {
  readonly file: string
  readonly value: Values
}

/**
 * Returns the documents of a file, of standard input (`-`), or of all YAML files below a directory but those of charts; lists
 * of Kubernetes are taken apart. Rejects with `KK_FILE` and `KK_YAML`.
 */
export async function readDocuments(path: string): Promise<readonly FileDocument[]> {
  const files = path === '-' ? ['-'] : await filesAt(path)
  const read = await Promise.all(files.map(async (file) => documentsOf(file, await textOf(file))))
  const isDirectory = files.length !== 1 || files[0] !== path
  return read.flat().map(({file, value}) => ({file: isDirectory ? relative(path, file) : file, value}))
}

async function textOf(file: string): Promise<string> {
  return file === '-' ? readStandardInput('what is to be imported') : readNamedFile(file)
}

function documentsOf(file: string, text: string): readonly FileDocument[] {
  // Files that were joined without --- between them are one document: of each key the last would be left, in silence.
  return readYamlDocuments(text, {file, duplicates: 'error'})
    .filter((value) => value !== null)
    .flatMap((value) => {
      if (!isMap(value))
        throw new KkError('KK_FILE', `${file}: expected maps as documents`, {hint: 'leave the file out'})
      const items = value.kind === 'List' && Array.isArray(value.items) ? value.items : [value]
      return items.filter(isMap).map((each) => ({file, value: each}))
    })
}

async function filesAt(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `${path} cannot be read: ${cause.code}`, {
      cause,
      hint: 'name a file, or a directory of YAML files',
    })
  })
  return found.isDirectory() ? filesBelow(path) : [path]
}

/** Sorted. The templates of a chart are no YAML. */
async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = (await readdir(directory, {withFileTypes: true})).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (entries.some(({name}) => name === 'Chart.yaml')) return []
  const files = await Promise.all(
    entries
      .filter(({name}) => !name.startsWith('.'))
      .map(async (entry) => {
        const path = join(directory, entry.name)
        if (entry.isDirectory()) return filesBelow(path)
        return entry.isFile() && /\.ya?ml$/.test(entry.name) ? [path] : []
      }),
  )
  return files.flat()
}
