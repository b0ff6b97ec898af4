import {existsSync, mkdirSync, writeFileSync} from 'node:fs'
import {mkdtemp, readFile, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {getRawAsset, isSea} from 'node:sea'
import {evaluateBundle} from './bundle.ts'
import {cacheDirectory} from './directories.ts'
import {makeDirectory} from './files/make-directory.ts'
import {withWritableDirectory} from './files/writing-below.ts'

/** The name of a file that the single executable carries next to its start code. */
export type AssetName =
  | 'build.json'
  | 'charts.json'
  | 'files.json'
  | 'files.sha256'
  | 'htmx.js'
  | 'licenses.txt'
  | 'pages.json.br'
  | 'sources.sha256'
  | `${BundleName}.cjs`
  | `${BundleName}.cjs.cache`

/**
 * The name of a bundle: kk itself, Graphviz, the kubeconfig reader of the Kubernetes client, requests through
 * proxies, the override store, its service, or metrics for Prometheus.
 */
export type BundleName = 'main' | 'viz' | 'kubeconfig' | 'proxy' | 'store' | 'server' | 'metrics'

/** A file of `files.json`. The mode is kept because a Containerfile copies some of them as programs. */
export interface CarriedFile {
  readonly text: string
  readonly mode: number
}

/** The origin of this kk. */
export interface Build {
  /** 40 hexadecimal digits; null if kk was built without git or runs from its sources. */
  readonly commit: string | null
  /** Whether tracked files differed from the commit. */
  readonly modified: boolean
  /** The package format of `npm run package`, the bare executable, or the sources. */
  readonly form: 'tarball' | 'deb' | 'image' | 'executable' | 'sources'
}

/** The page that defines kk's terms, among the built-in files. */
export const CONCEPTS = 'docs/concepts.md'

/** The repository's root when kk runs from its sources; otherwise empty. */
const SOURCE_ROOT = isSea() ? '' : join(import.meta.dirname, '../..')

/**
 * Returns a file of the executable; when run from the sources, the file that `npm run build` left in
 * `dist/assets/`.
 */
export async function readAsset(name: AssetName): Promise<Buffer> {
  if (isSea()) return Buffer.from(getRawAsset(name))
  return readFile(join(SOURCE_ROOT, 'dist/assets', name))
}

/**
 * Returns the digest of the sources that the executable was built from; undefined from the sources, which may
 * change.
 */
export function buildDigest(): string | undefined {
  return isSea() ? Buffer.from(getRawAsset('sources.sha256')).toString() : undefined
}

/** Returns the origin of this kk. */
export async function readBuild(): Promise<Build> {
  if (!isSea()) return {commit: null, modified: false, form: 'sources'}
  const build = JSON.parse((await readAsset('build.json')).toString()) as Build
  // All packages contain the same executable; a file installed with it names the package format.
  const packageForm = await readFile(join(process.execPath, '../../share/kk/package'), 'utf8').catch(() => '')
  const form = (['tarball', 'deb', 'image'] as const).find((each) => each === packageForm.trim())
  return {...build, ...(form && {form})}
}

/**
 * Returns the directory that contains kk's own `charts/`, `environments/`, `images/`, `options/`, the chart
 * of the operator, the collectors of `kk audit` and `CONCEPTS`: the repository, or the executable's files,
 * which are unpacked once into the cache under the hash of their content. Rejects with `KK_FILE`.
 */
export async function builtInFiles(env: NodeJS.ProcessEnv): Promise<string> {
  if (!isSea()) return SOURCE_ROOT
  const digest = (await readAsset('files.sha256')).toString()
  const directory = join(cacheDirectory(env), 'files', digest.slice(0, 16))
  if (!existsSync(directory)) {
    const files = JSON.parse((await readAsset('files.json')).toString()) as Record<string, CarriedFile>
    await withWritableDirectory({directory: cacheDirectory(env), variable: 'XDG_CACHE_HOME'}, () =>
      unpack(files, directory),
    )
  }
  return directory
}

/**
 * Evaluates a bundle of the executable with its code cache; when run from the sources, imports its modules.
 */
export async function loadBundle<T>(name: BundleName, importSource: () => Promise<T>): Promise<T> {
  if (!isSea()) return importSource()
  const file = `${name}.cjs` as const
  // The bundles are ASCII; latin1 is the fastest way to read them.
  const source = Buffer.from(getRawAsset(file)).toString('latin1')
  const codeCache = Buffer.from(getRawAsset(`${file}.cache`))
  return evaluateBundle({file, source, codeCache}).exports as T
}

async function unpack(files: Record<string, CarriedFile>, directory: string): Promise<void> {
  await makeDirectory(dirname(directory), {mode: 0o700})
  const temporary = await mkdtemp(`${directory}.`)
  try {
    // Synchronously: the first start waits for it, and awaiting hundreds of small files takes longer than
    // writing them.
    for (const folder of parentDirectories(Object.keys(files))) mkdirSync(join(temporary, folder))
    for (const [path, {text, mode}] of Object.entries(files))
      writeFileSync(join(temporary, path), text, {mode})
    await rename(temporary, directory)
  } catch (error) {
    await rm(temporary, {recursive: true, force: true})
    const {code} = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

/** Returns the directories of files given by relative path, each after its parent. */
function parentDirectories(paths: readonly string[]): readonly string[] {
  const above = paths.map((path) => path.split('/').slice(0, -1))
  return [...new Set(above.flatMap((parts) => parts.map((_, index) => parts.slice(0, index + 1).join('/'))))]
}
