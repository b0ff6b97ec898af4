import {createHash} from 'node:crypto'
import {chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Metafile} from 'esbuild'
import {execa} from 'execa'
import {readCarried} from '../../src/charts/carried.ts'
import type {AssetName, Build} from '../../src/state/assets.ts'
import {compressedPages} from '../../src/state/pages.ts'
import {carriedFiles} from '../carried-files.ts'
import {licenseNotices} from '../license-notices.ts'
import {BUNDLES, bundle, bundleHtmx, bundleStart} from './bundle.ts'
import {writeStripped} from './stripped.ts'
import {V8_FLAGS} from './v8-flags.ts'

const ROOT = join(import.meta.dirname, '../..')

/** In the directory of a build; below it `assets/`. */
const START = 'kk.cjs'

/** The inputs of the executable, in a directory. */
export interface Made {
  readonly directory: string
  readonly build: Build
  /** By the name of the bundle. */
  readonly sizes: ReadonlyMap<string, Metafile>
}

/**
 * Makes bundles, V8's caches of them with the Node that runs this, and the other assets of the executable.
 */
export async function makeAssets(directory: string): Promise<Made> {
  const assets = join(directory, 'assets')
  mkdirSync(assets, {recursive: true})
  const [start, htmx, ...others] = await Promise.all([
    bundleStart(join(directory, START)),
    bundleHtmx(join(assets, 'htmx.js')),
    ...BUNDLES.map((name) => bundle(name, assets)),
  ])
  const build = await buildFacts()
  const carried = JSON.stringify(carriedFiles(ROOT))
  const files = {
    'charts.json': JSON.stringify(await readCarried(join(ROOT, 'charts'))),
    'files.json': carried,
    'files.sha256': createHash('sha256').update(carried).digest('hex'),
    'licenses.txt': licenseNotices(ROOT, [start, htmx, ...others]),
    'build.json': JSON.stringify(build),
    'pages.json.br': compressedPages(join(ROOT, 'docs')),
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(assets, name), content)
  writeFileSync(join(assets, 'sources.sha256'), sourcesDigest(directory))
  const bundles = [
    ['start', start],
    ['htmx', htmx],
    ...BUNDLES.map((name, index) => [name, others[index]!] as const),
  ] as const
  return {directory, build, sizes: new Map(bundles)}
}

/** The inputs of the executable except its Node; V8's caches of the bundles follow from both. */
function sourcesDigest(directory: string): string {
  const hash = createHash('sha256').update(process.version)
  for (const file of [
    START,
    ...BUNDLES.map((name) => `assets/${name}.cjs`),
    'assets/files.json',
    'assets/htmx.js',
    'assets/pages.json.br',
  ])
    hash.update(readFileSync(join(directory, file)))
  return hash.digest('hex')
}

/** Not an input: a commit that changes no source does not make an image outdated. */
async function buildFacts(): Promise<Build> {
  const git = (...words: string[]) => execa('git', words, {cwd: ROOT, reject: false})
  const head = await git('rev-parse', 'HEAD')
  if (head.failed) return {commit: null, modified: false, form: 'executable'}
  const changes = await git('status', '--porcelain', '--untracked-files=no')
  return {commit: head.stdout, modified: changes.stdout !== '', form: 'executable'}
}

interface Assembly {
  /** A Node of the version that runs this. */
  readonly node: string
  /** The path of the executable. */
  readonly output: string
  /** Whether the Node is of another architecture, for which there are no V8 caches. */
  readonly foreign?: boolean
}

/** Joins the assets and a Node into one executable. */
export async function assemble({directory}: Made, {node, output, foreign = false}: Assembly): Promise<void> {
  // Strip before assembling, because stripping removes appended assets.
  const stripped = join(directory, 'node')
  writeStripped(node, stripped)
  const none = join(directory, 'none')
  writeFileSync(none, '')
  const placed = (name: AssetName) => (foreign && name.endsWith('.cache') ? 'none' : `assets/${name}`)
  const assets: AssetName[] = [
    'build.json',
    'charts.json',
    'files.json',
    'files.sha256',
    'htmx.js',
    'licenses.txt',
    'pages.json.br',
    'sources.sha256',
    ...BUNDLES.flatMap((name) => [`${name}.cjs`, `${name}.cjs.cache`] as const),
  ]
  // Names without a path, because the executable keeps that of its main program.
  const config = {
    main: START,
    executable: 'node',
    output: 'kk.new',
    disableExperimentalSEAWarning: true,
    useCodeCache: !foreign,
    execArgv: V8_FLAGS,
    execArgvExtension: 'none',
    assets: Object.fromEntries(assets.map((name) => [name, placed(name)])),
  }
  writeFileSync(join(directory, 'sea.json'), JSON.stringify(config))
  await execa(process.execPath, ['--predictable', '--build-sea', 'sea.json'], {cwd: directory})
  const made = join(directory, 'kk.new')
  chmodSync(made, 0o755)
  renameSync(made, output)
  for (const name of ['node', 'none', 'sea.json']) rmSync(join(directory, name))
}
