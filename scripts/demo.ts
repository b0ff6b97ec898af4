/**
 * `npm run demo`: builds what is missing, deploys the all-in-one environment to the sandbox and prints its
 * status.
 */
import {join} from 'node:path'
import {execa} from 'execa'

const ROOT = join(import.meta.dirname, '..')
const KK = join(ROOT, 'dist/kk')
const STEPS: readonly (readonly [string, ...string[]])[] = [
  [process.execPath, join(ROOT, 'scripts/toolbox.ts')],
  [process.execPath, join(ROOT, 'scripts/build.ts')],
  [KK, 'deploy', 'environments/all-in-one.yaml', '--sandbox', '--yes'],
  [KK, 'status', 'environments/all-in-one.yaml', '--sandbox'],
]

for (const [command, ...args] of STEPS) {
  const isBuild = args[0] === join(ROOT, 'scripts/build.ts')
  if (isBuild) console.log('building dist/kk')
  const {exitCode} = await execa(command, args, {
    cwd: ROOT,
    stdio: ['inherit', isBuild ? 'ignore' : 'inherit', 'inherit'],
    reject: false,
  })
  if (exitCode !== 0) process.exit(exitCode ?? 1)
}

console.log('\nkk is dist/kk; take the cluster away with: dist/kk sandbox down')
