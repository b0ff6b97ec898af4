/**
 * `npm run test:long`: kills, faults and competing operators on a real control plane, Helm itself, the life
 * of sandboxes, the guides; the nightly tests in files of `npm test`; then everything that depends on helm
 * once more with helm 3. `-- --night` runs the first in the sizes of the design: hundreds of kills and
 * restarts, for most of a night. Ends with `N passed, N failed`. To repeat a failure, set the `KK_TEST_SEED`
 * that it shows.
 */
import {globSync, readFileSync} from 'node:fs'
import {runVitest, step, sum} from './run-vitest.ts'
import {ensureSystemPackages} from './system-packages.ts'

const NIGHT = {KK_TEST_NIGHT: '1'}

async function testLong([first, ...rest]: readonly string[]): Promise<boolean> {
  const isNight = first === '--night'
  const args = isNight || first === undefined ? rest : [first, ...rest]
  await ensureSystemPackages((line) => console.log(line), 'night')
  for (const words of [['scripts/toolbox.ts', 'exchange'], ['scripts/build.ts']])
    if (!(await step('node', words))) return false
  // One file after the other, because each keeps the machine busy.
  const sizes = isNight ? NIGHT : {}
  const runs = [await runVitest(['--project=long', '--no-file-parallelism', ...args], sizes)]
  if (args.length === 0) {
    runs.push(await runVitest(atNight(), NIGHT))
    runs.push(await runVitest(ofHelm3(), {...NIGHT, KK_TEST_HELM: 'helm3'}))
  }
  const [passed, failed] = [sum(runs.map((run) => run.passed)), sum(runs.map((run) => run.failed))]
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0
}

/** The nightly tests in files of `npm test`. */
function atNight(): readonly string[] {
  return [
    '--project=programs',
    '--project=e2e',
    '--testNamePattern=at night',
    ...filesWith('support/night.ts'),
  ]
}

/** The tests that run once for each helm, in any folder: their files import the helms. */
function ofHelm3(): readonly string[] {
  const projects = ['unit', 'programs', 'e2e'].map((name) => `--project=${name}`)
  return [...projects, '--testNamePattern=helm3', ...filesWith('support/helms.ts')]
}

/** The files of tests that import the module of this path. */
function filesWith(path: string): readonly string[] {
  return globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes(path))
}

process.exitCode = (await testLong(process.argv.slice(2))) ? 0 : 1
