/**
 * `npm run test:long`: kills, faults and operators at cross purposes on a real control plane, Helm itself, the lives of
 * sandboxes, the guides; then what depends on the helm once more with helm 3. Ends with `N passed, N failed`. A failure is
 * played again with the `KK_TEST_SEED` that it shows.
 */
import {globSync, readFileSync} from 'node:fs'
import {runVitest, step, sum} from './run-vitest.ts'
import {ensureSystemPackages} from './system-packages.ts'

async function testLong(args: readonly string[]): Promise<boolean> {
  await ensureSystemPackages((line) => console.log(line))
  for (const script of ['toolbox', 'build']) if (!(await step('node', [`scripts/${script}.ts`]))) return false
  // One file after the other: each keeps the machine busy.
  const runs = [await runVitest(['--project=long', '--no-file-parallelism', ...args])]
  if (args.length === 0) runs.push(await runVitest(ofHelm3(), {KK_TEST_HELM: 'helm3'}))
  const [passed, failed] = [sum(runs.map((run) => run.passed)), sum(runs.map((run) => run.failed))]
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0
}

/** The tests that are run once for each helm, wherever they stand: their files ask for the helms. */
function ofHelm3(): readonly string[] {
  const files = globSync('test/**/*.test.ts').filter((file) =>
    readFileSync(file, 'utf8').includes('support/helms.ts'),
  )
  return ['--project=unit', '--project=programs', '--project=e2e', '--testNamePattern=helm3', ...files]
}

process.exitCode = (await testLong(process.argv.slice(2))) ? 0 : 1
