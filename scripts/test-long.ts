/**
 * `npm run test:long`: kills, faults and operators at cross purposes, on a real control plane; half an hour on two
 * cores. Ends with `N passed, N failed`. A failure is played again with the `KK_TEST_SEED` that it shows.
 */
import {runVitest, step} from './run-vitest.ts'
import {ensureSystemPackages} from './system-packages.ts'

async function testLong(): Promise<boolean> {
  await ensureSystemPackages((line) => console.log(line))
  for (const script of ['toolbox', 'build']) if (!(await step('node', `scripts/${script}.ts`))) return false
  // One file after the other: each keeps the machine busy.
  const args = ['--project=long', '--no-file-parallelism', ...process.argv.slice(2)]
  const {passed, failed} = await runVitest(...args)
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0
}

process.exitCode = (await testLong()) ? 0 : 1
