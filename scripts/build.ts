/** Makes `dist/kk`, one executable: the bundled program, its assets and Node itself. */
import {createHash} from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'
import type {AssetName, Build} from '../src/state/assets.ts'
import {BUNDLES, bundle, bundleStart, V8_FLAGS} from './build/bundle.ts'
import {sizeLines} from './build/sizes.ts'
import {carriedFiles} from './carried-files.ts'
import {licenseNotices} from './license-notices.ts'
import {writePluginsTable} from './plugins-table.ts'
import {commandTable} from './table.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
const ASSETS = join(DIST, 'assets')
const START = join(DIST, 'kk.cjs')
const EXECUTABLE = join(DIST, 'kk')

async function buildExecutable(): Promise<void> {
  mkdirSync(ASSETS, {recursive: true})
  writeFileSync(join(ROOT, 'src/commands/table.ts'), await commandTable())
  await writePluginsTable()
  const [start, ...others] = await Promise.all([
    bundleStart(START),
    ...BUNDLES.map((name) => bundle(name, ASSETS)),
  ])
  const bundles = [start, ...others]
  writeFileSync(join(ASSETS, 'files.json'), JSON.stringify(carriedFiles(ROOT)))
  writeFileSync(join(ASSETS, 'licenses.txt'), licenseNotices(ROOT, bundles))
  writeFileSync(join(ASSETS, 'sources.sha256'), sourcesDigest())
  writeFileSync(join(ASSETS, 'build.json'), JSON.stringify(await buildFacts()))
  await assemble(await strippedNode())

  const names = ['start', ...BUNDLES]
  for (const [index, metafile] of bundles.entries())
    console.log(sizeLines(names[index]!, metafile).join('\n'))
  console.log(`${(statSync(EXECUTABLE).size / 2 ** 20).toFixed(1).padStart(7)} MB  dist/kk`)
}

/** What decides the executable: its bytes also hold V8's caches, which are others each time. */
function sourcesDigest(): string {
  const hash = createHash('sha256').update(process.version)
  for (const file of [
    START,
    ...BUNDLES.map((name) => join(ASSETS, `${name}.cjs`)),
    join(ASSETS, 'files.json'),
  ])
    hash.update(readFileSync(file))
  return hash.digest('hex')
}

/** Not among what decides the executable: a commit that changes no source makes no image anew. */
async function buildFacts(): Promise<Build> {
  const git = (...words: string[]) => execa('git', words, {cwd: ROOT, reject: false})
  const head = await git('rev-parse', 'HEAD')
  if (head.failed) return {commit: null, modified: false, form: 'executable'}
  const changes = await git('status', '--porcelain', '--untracked-files=no')
  return {commit: head.stdout, modified: changes.stdout !== '', form: 'executable'}
}

/** Strip before assembling: a stripped executable has lost what was put into it. */
async function strippedNode(): Promise<string> {
  const node = join(DIST, 'node')
  copyFileSync(process.execPath, node)
  chmodSync(node, 0o755)
  const {failed} = await execa('strip', [node], {reject: false})
  if (failed) console.log('strip is not there: the executable stays larger')
  return node
}

async function assemble(node: string): Promise<void> {
  const assets: AssetName[] = [
    'build.json',
    'files.json',
    'licenses.txt',
    'sources.sha256',
    ...BUNDLES.flatMap((name) => [`${name}.cjs`, `${name}.cjs.cache`] as const),
  ]
  const config = {
    main: START,
    executable: node,
    output: `${EXECUTABLE}.new`,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: V8_FLAGS,
    execArgvExtension: 'none',
    assets: Object.fromEntries(assets.map((name) => [name, join(ASSETS, name)])),
  }
  const file = join(DIST, 'sea.json')
  writeFileSync(file, JSON.stringify(config))
  await execa(process.execPath, ['--build-sea', file], {cwd: DIST})
  chmodSync(`${EXECUTABLE}.new`, 0o755)
  renameSync(`${EXECUTABLE}.new`, EXECUTABLE)
  for (const path of [node, file]) rmSync(path, {force: true})
}

await buildExecutable()
