import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {mkdtemp, rename, rm, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {getRawAsset, isSea} from 'node:sea'
import {evaluateBundle} from './bundle.ts'
import {cacheDirectory} from './directories.ts'
import {makeDirectory} from './files/make-directory.ts'
import {writingBelow} from './files/writing-below.ts'

/** What the single executable carries beside the few lines that start it. */
export type AssetName = 'files.json' | 'licenses.txt' | `${BundleName}.cjs` | `${BundleName}.cjs.cache`

/** Bundles: kk itself, Graphviz, the configuration of the Kubernetes client, and what a store of overrides and its service need. */
export type BundleName = 'main' | 'viz' | 'kubeconfig' | 'store' | 'server'

/** The repository's root when kk runs from its sources. */
const SOURCE_ROOT = isSea() ? '' : join(import.meta.dirname, '../..')

/** A file of the executable; from the sources, what `npm run build` left in `dist/assets/`. */
export async function readAsset(name: AssetName): Promise<Buffer> {
  if (isSea()) return Buffer.from(getRawAsset(name))
  const {readFile} = await import('node:fs/promises')
  return readFile(join(SOURCE_ROOT, 'dist/assets', name))
}

/**
 * The directory that holds kk's own `charts/`, `environments/` and `images/`: the repository itself, or the executable's
 * files unpacked once into the cache, under the hash of what they are. Rejects with `KK_FILE`.
 */
export async function builtInFiles(env: NodeJS.ProcessEnv): Promise<string> {
  if (!isSea()) return SOURCE_ROOT
  const archive = Buffer.from(getRawAsset('files.json'))
  const hash = createHash('sha256').update(archive).digest('hex').slice(0, 16)
  const directory = join(cacheDirectory(env), 'files', hash)
  if (!existsSync(directory))
    await writingBelow({directory: cacheDirectory(env), variable: 'XDG_CACHE_HOME'}, () =>
      unpack(JSON.parse(archive.toString()) as Record<string, string>, directory),
    )
  return directory
}

/** Evaluates a bundle of the executable, with its code cache; from the sources, imports what it is made of. */
export async function loadBundle<T>(name: BundleName, importSource: () => Promise<T>): Promise<T> {
  if (!isSea()) return importSource()
  const file = `${name}.cjs` as const
  // The bundles are ASCII, which is read fastest as latin1.
  const source = Buffer.from(getRawAsset(file)).toString('latin1')
  const codeCache = Buffer.from(getRawAsset(`${file}.cache`))
  return evaluateBundle({file, source, codeCache}).exports as T
}

async function unpack(files: Record<string, string>, directory: string): Promise<void> {
  await makeDirectory(dirname(directory), {mode: 0o700})
  const temporary = await mkdtemp(`${directory}.`)
  try {
    for (const [path, text] of Object.entries(files)) {
      await makeDirectory(dirname(join(temporary, path)))
      await writeFile(join(temporary, path), text)
    }
    await rename(temporary, directory)
  } catch (error) {
    await rm(temporary, {recursive: true, force: true})
    const {code} = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}
