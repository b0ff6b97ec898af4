/**
 * `npm run docs:site`: builds the documentation site into dist/site, from the pages of the repository and a
 * page of the values of each chart; with `--serve` also serves it on loopback. Installs the generator, which
 * is a package of its own, unless its lock file is installed.
 */
import {existsSync, mkdirSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {execa} from 'execa'
import {valuesPages} from './docs/values-pages.ts'

const ROOT = join(import.meta.dirname, '..')
const SITE = join(ROOT, 'site')

const values = join(SITE, 'values')
rmSync(values, {recursive: true, force: true})
mkdirSync(values)
for (const {chart, text} of valuesPages()) writeFileSync(join(values, `${chart}.md`), text)

const changed = (file: string) => statSync(join(SITE, file)).mtimeMs
const installed = 'node_modules/.package-lock.json'
const isInstalled = existsSync(join(SITE, installed)) && changed(installed) >= changed('package-lock.json')
if (!isInstalled) await run('npm', ['ci', '--prefix', 'site', '--no-fund', '--no-audit'])
// From the root, and the site as an argument: Vite resolves the imports of pages outside of the site only so.
const vitepress = join(SITE, 'node_modules/vitepress/bin/vitepress.js')
await run(process.execPath, [vitepress, 'build', 'site'])
if (process.argv.includes('--serve'))
  await run(process.execPath, [vitepress, 'preview', 'site', '--host', '127.0.0.1'])

async function run(command: string, args: readonly string[]): Promise<void> {
  const {exitCode} = await execa(command, args, {cwd: ROOT, stdio: 'inherit', reject: false})
  if (exitCode !== 0) process.exit(exitCode ?? 1)
}
