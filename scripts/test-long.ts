/**
 * `npm run test:long`: kills, faults and operators at cross purposes on a real control plane, Helm itself, the lives of
 * sandboxes, the guides; what stands beside the tests of `npm test`, but for the night; then what depends on the helm once more
 * with helm 3. Ends with `N passed, N failed`. A failure is played again with the `KK_TEST_SEED` that it shows.
 */
import {globSync, readFileSync} from 'node:fs'
import {runVitest, step, sum} from './run-vitest.ts'
import {ensureSystemPackages} from './system-packages.ts'

const NIGHT = {KK_TEST_NIGHT: '1'}

async function testLong(args: readonly string[]): Promise<boolean> {
  await ensureSystemPackages((line) => console.log(line), 'night')
  for (const words of [['scripts/toolbox.ts', 'exchange'], ['scripts/build.ts']])
    if (!(await step('node', words))) return false
  // One file after the other: each keeps the machine busy.
  const runs = [await runVitest(['--project=long', '--no-file-parallelism', ...args], NIGHT)]
  if (args.length === 0) {
    runs.push(await runVitest(atNight(), NIGHT))
    runs.push(await runVitest(ofHelm3(), {...NIGHT, KK_TEST_HELM: 'helm3'}))
  }
  const [passed, failed] = [sum(runs.map((run) => run.passed)), sum(runs.map((run) => run.failed))]
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0
}

/** The tests for the night in files of `npm test`. */
function atNight(): readonly string[] {
  return [
    '--project=programs',
    '--project=e2e',
    '--testNamePattern=at night',
    ...filesWith('support/night.ts'),
  ]
}

/** The tests that are run once for each helm, wherever they stand: their files ask for the helms. */
function ofHelm3(): readonly string[] {
  const projects = ['unit', 'programs', 'e2e'].map((name) => `--project=${name}`)
  return [...projects, '--testNamePattern=helm3', ...filesWith('support/helms.ts')]
}

/** The files of tests that import the module of this path. */
function filesWith(path: string): readonly string[] {
  return globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes(path))
}

process.exitCode = (await testLong(process.argv.slice(2))) ? 0 : 1
