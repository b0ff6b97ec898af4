import {readdir, stat} from 'node:fs/promises'
import {join, relative} from 'node:path'
import {KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import {readNamedFile, readStandardInput} from '../state/files/named-file.ts'
import {readYamlDocuments} from '../yaml/yaml.ts'

/** A YAML document and its file, relative to the specified directory. */
export interface FileDocument {
  readonly file: string
  readonly value: Values
}

/**
 * Returns the documents of a file, of standard input (`-`), or of all YAML files below a directory except
 * those of charts; Kubernetes Lists are split into their items. Rejects with `KK_FILE` and `KK_YAML`.
 */
export async function readDocuments(path: string): Promise<readonly FileDocument[]> {
  const files = path === '-' ? ['-'] : await filesAt(path)
  const read = await Promise.all(files.map(async (file) => parseDocuments(file, await readText(file))))
  const isDirectory = files.length !== 1 || files[0] !== path
  return read.flat().map(({file, value}) => ({file: isDirectory ? relative(path, file) : file, value}))
}

async function readText(file: string): Promise<string> {
  return file === '-' ? readStandardInput('the objects to import') : readNamedFile(file)
}

function parseDocuments(file: string, text: string): readonly FileDocument[] {
  // Files concatenated without --- form one document, in which a repeated key would silently win.
  return readYamlDocuments(text, {file, duplicates: 'error'})
    .filter((value) => value !== null)
    .flatMap((value) => {
      if (!isMap(value))
        throw new KkError('KK_FILE', `${file}: expected maps as documents`, {hint: 'omit the file'})
      const items = value.kind === 'List' && Array.isArray(value.items) ? value.items : [value]
      return items.filter(isMap).map((each) => ({file, value: each}))
    })
}

async function filesAt(path: string): Promise<readonly string[]> {
  const stats = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `${path} cannot be read: ${cause.code}`, {
      cause,
      hint: 'specify a file, or a directory of YAML files',
    })
  })
  return stats.isDirectory() ? filesBelow(path) : [path]
}

/** Returns sorted paths. Chart templates are not YAML. */
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
