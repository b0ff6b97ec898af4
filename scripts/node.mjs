/**
 * Runs a TypeScript file of this repository: `node scripts/node.mjs FILE …`. The sources need the Node of
 * .nvmrc, which `npm ci` installs as a package. Plain JavaScript, so that any Node that package.json allows
 * can read it.
 */
// biome-ignore lint/style/noRestrictedImports: execa needs a newer Node
import {spawn} from 'node:child_process'
import {existsSync, readFileSync} from 'node:fs'
import {constants} from 'node:os'
import {join} from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const wanted = Number(readFileSync(join(ROOT, '.nvmrc'), 'utf8'))
const packaged = join(ROOT, 'node_modules', '.bin', 'node')
const words = process.argv.slice(2)

if (Number.parseInt(process.versions.node, 10) >= wanted) {
  process.execve(process.execPath, [process.execPath, ...words], process.env)
} else if (existsSync(packaged)) {
  const child = spawn(packaged, words, {stdio: 'inherit'})
  // A terminal sends it to both processes, and the child decides.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
} else {
  console.error(`expected Node ${wanted}, got ${process.version}: run "npm ci" without --omit=optional`)
  process.exitCode = 2
}
