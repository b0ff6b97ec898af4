/**
 * `npm run docs:site`: builds the documentation site into dist/site, from the pages of the repository and a
 * page of the values of each chart. With `--versions` it also builds the site of each older release, from its
 * tag into a directory below; with `--serve` it serves the result on loopback. Installs the generator, which
 * is a package of its own, unless its lock file is installed.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'
import {type SiteVersion, siteVersions} from '../site/.vitepress/versions.ts'
import {valuesPages} from './docs/values-pages.ts'

const ROOT = join(import.meta.dirname, '..')
const SITE = join(ROOT, 'site')
const OUTPUT = join(ROOT, 'dist/site')
/** Has one since sites of several versions can be built. */
const SELECTOR = 'site/.vitepress/versions.ts'

const values = join(SITE, 'values')
rmSync(values, {recursive: true, force: true})
mkdirSync(values)
for (const {chart, text} of valuesPages()) writeFileSync(join(values, `${chart}.md`), text)

const changed = (file: string) => statSync(join(SITE, file)).mtimeMs
const installed = 'node_modules/.package-lock.json'
// A link leads to the packages of another checkout, with the same lock file.
const isLinked = lstatSync(join(SITE, 'node_modules'), {throwIfNoEntry: false})?.isSymbolicLink() ?? false
const isCurrent = existsSync(join(SITE, installed)) && changed(installed) >= changed('package-lock.json')
if (!isLinked && !isCurrent) await run('npm', ['ci', '--prefix', 'site', '--no-fund', '--no-audit'])
// From the root, and the site as an argument: Vite resolves the imports of pages outside of the site only so.
const vitepress = join(SITE, 'node_modules/vitepress/bin/vitepress.js')
await run(process.execPath, [vitepress, 'build', 'site'])

const {version} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {readonly version: string}
const [current, ...older] = await versions(version)
for (const each of older) await buildVersion(each)
writeFileSync(join(OUTPUT, 'versions.json'), JSON.stringify([current, ...older]))
if (process.argv.includes('--serve'))
  await run(process.execPath, [vitepress, 'preview', 'site', '--host', '127.0.0.1'])

/** Returns the versions to build: the one of this checkout, and with `--versions` older ones with a site. */
async function versions(current: string): Promise<readonly SiteVersion[]> {
  if (!process.argv.includes('--versions')) return siteVersions(current, [])
  const {stdout} = await execa('git', ['tag'], {cwd: ROOT})
  const all = siteVersions(current, stdout.split('\n'))
  const found = await Promise.all(all.map(hasSite))
  return all.filter((_, index) => found[index])
}

async function hasSite({version: name, path}: SiteVersion): Promise<boolean> {
  if (path === '') return true
  const {failed} = await execa('git', ['cat-file', '-e', `v${name}:${SELECTOR}`], {cwd: ROOT, reject: false})
  return !failed
}

/**
 * Builds the site of a release by its own sources, with the packages of this checkout if they are the same.
 */
async function buildVersion({version: name, path}: SiteVersion): Promise<void> {
  const directory = join(ROOT, `dist/site-${name}`)
  const git = (...words: string[]) => execa('git', words, {cwd: ROOT, stdio: 'inherit'})
  await git('worktree', 'add', '--force', '--force', '--detach', directory, `v${name}`)
  try {
    for (const folder of ['.', 'site']) await installPackages(join(ROOT, folder), join(directory, folder))
    const root = process.env['KK_SITE_BASE'] ?? '/'
    const env = {KK_SITE_BASE: `${root}${path}`, KK_SITE_ROOT: root}
    const script = join(directory, 'scripts/docs-site.ts')
    await execa(process.execPath, [script], {cwd: directory, env, stdio: 'inherit'})
    renameSync(join(directory, 'dist/site'), join(OUTPUT, path))
  } finally {
    await git('worktree', 'remove', '--force', directory)
  }
}

async function installPackages(from: string, to: string): Promise<void> {
  const lock = (directory: string) => readFileSync(join(directory, 'package-lock.json'), 'utf8')
  if (lock(from) === lock(to)) symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'))
  else await execa('npm', ['ci', '--prefix', to, '--no-fund', '--no-audit'], {stdio: 'inherit'})
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const {exitCode} = await execa(command, args, {cwd: ROOT, stdio: 'inherit', reject: false})
  if (exitCode !== 0) process.exit(exitCode ?? 1)
}
