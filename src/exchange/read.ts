import {KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import {readNamedFile, readStandardInput} from '../state/files/named-file.ts'
import {readYamlDocuments} from '../yaml/yaml.ts'
import {importArgocd} from './argocd/read.ts'
import {importArmada} from './armada/read.ts'
import {readDocuments} from './documents.ts'
import {importFlux} from './flux/read.ts'
import {helmfileText} from './helmfile/helmfile-text.ts'
import {importHelmfile} from './helmfile/read.ts'
import type {Imported} from './imported.ts'

export const IMPORT_FORMATS = ['helmfile', 'flux', 'argocd', 'armada'] as const

interface ImportFilesOptions {
  /** A file, `-` for standard input, or a directory if the format spreads its objects over several files. */
  readonly path: string
  readonly format: (typeof IMPORT_FORMATS)[number]
  /** The name of the environment. */
  readonly name: string
  /** The directory of the environment file; defaults to that of the helmfile or Armada manifest. */
  readonly baseDirectory: string | undefined
  /** Armada: files of documents that are merged over the manifest, and whether names omit its prefix. */
  readonly overrides: readonly string[]
  readonly isPlain: boolean
  /** Also write values that look secret. */
  readonly showSecrets: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Returns another tool's files as an environment. Rejects with what their reader throws, and `KK_FILE`. */
export async function importFiles(options: ImportFilesOptions): Promise<Imported> {
  const {path, format, overrides, isPlain, env, baseDirectory, ...common} = options
  switch (format) {
    case 'helmfile':
      return importHelmfile({...common, baseDirectory, file: path, ...(await helmfileText(path, env))})
    case 'flux':
      return importFlux({...common, path, documents: await readDocuments(path)})
    case 'argocd':
      return importArgocd({...common, path, documents: await readDocuments(path)})
    case 'armada': {
      const overrideLists = await Promise.all(overrides.map(overridesIn))
      const documents = await readManifest(path)
      return importArmada({
        ...common,
        directory: baseDirectory,
        file: path,
        isPlain,
        documents,
        overrides: overrideLists.flat(),
      })
    }
  }
}

async function readManifest(file: string): Promise<readonly unknown[]> {
  const text = file === '-' ? await readStandardInput('the manifest') : await readNamedFile(file)
  return readYamlDocuments(text, {file, duplicates: 'error'}).filter((each) => each !== null)
}

async function overridesIn(file: string): Promise<readonly Values[]> {
  const documents = await readManifest(file)
  if (documents.every(isMap)) return documents
  throw new KkError('KK_ARMADA', `${file}: expected documents of Armada`, {
    hint: 'write them with kk overrides show --format armada',
  })
}
