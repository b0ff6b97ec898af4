/**
 * `npm run demo`: shows the graph and the split of the all-in-one environment while the programs of the
 * throwaway cluster are downloaded and kk is built, deploys the environment to that cluster and prints its
 * status. What cannot be downloaded is compiled; with `--build`, everything is.
 */
import {join} from 'node:path'
import {parseArgs} from 'node:util'
import {execa} from 'execa'
import {asKkError} from '../src/base/errors.ts'
import {provideTools} from '../src/sandbox/programs/provide.ts'
import {isArchived} from './toolbox.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = join(ROOT, 'bin/kk.ts')
const KK = join(ROOT, 'dist/kk')
const ENVIRONMENT = 'environments/all-in-one.yaml'

/** Runs a command; ends the demo with its exit code if it fails. */
async function run(
  [command, ...args]: readonly [string, ...string[]],
  stdout: 'inherit' | 'ignore' = 'inherit',
) {
  const {exitCode} = await execa(command, args, {
    cwd: ROOT,
    stdio: ['inherit', stdout, 'inherit'],
    reject: false,
  })
  if (exitCode !== 0) process.exit(exitCode ?? 1)
}

async function providePrograms(build: boolean): Promise<void> {
  const compile = () => run([process.execPath, join(ROOT, 'scripts/toolbox.ts')], 'ignore')
  if (build || (await isArchived(process.env))) return compile()
  try {
    await provideTools({env: process.env, onProgress: console.log, instead: compile})
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    console.error(`${code}: ${message}\nhint: ${hint}; or compile them: npm run demo -- --build`)
    process.exit(2)
  }
}

const {build} = parseArgs({options: {build: {type: 'boolean', default: false}}}).values
const programs = providePrograms(build)

console.log(`\n$ kk graph ${ENVIRONMENT}`)
await run([process.execPath, SOURCES, 'graph', ENVIRONMENT])
console.log(`\n$ kk values split ${ENVIRONMENT} -o dist/demo`)
await run([process.execPath, SOURCES, 'values', 'split', ENVIRONMENT, '-o', 'dist/demo'])
console.log('\nbuilding dist/kk, and preparing a throwaway cluster to deploy this to')
await Promise.all([run([process.execPath, join(ROOT, 'scripts/build.ts')], 'ignore'), programs])
await run([KK, 'deploy', ENVIRONMENT, '--sandbox', '--yes'])
await run([KK, 'status', ENVIRONMENT, '--sandbox'])
console.log('\nkk is dist/kk; take the cluster away with: dist/kk sandbox down')
