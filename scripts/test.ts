/**
 * `npm test`: everything except the long tests and those of `npm run test:aio`, with end-to-end tests;
 * installs what it needs. Ends with `N passed, N failed`. `npm test -- --changed[=COMMIT]` runs what a change
 * since the commit can affect.
 */
import {buildWhenOld} from '../test/e2e/support/build.ts'
import {changedFiles, runsForChange} from './changed.ts'
import {type Count, runVitest, step, sum} from './run-vitest.ts'
import {ensureSystemPackages} from './system-packages.ts'

/**
 * With one checker: several compute the same types separately, and take half as much processor time again.
 */
const CHECKS = [['biome', 'check'], ['tsc', '--checkers', '1'], ['knip']] as const

async function test(args: readonly string[]): Promise<boolean> {
  await ensureSystemPackages((line) => console.log(line))
  // They run in parallel with the first tests, which wait for their control plane.
  const checks = CHECKS.map(async ([program, ...words]) => ({program, passed: await step(program, words)}))
  if (!(await step('node', ['scripts/toolbox.ts']))) return false
  await buildWhenOld(console.log)
  const runs: Count[] = []
  for (const words of await runsOf(args)) runs.push(await runVitest(words))
  const wrong = (await Promise.all(checks)).filter((check) => !check.passed)
  for (const {program} of wrong) console.log(`\n${program} has failed: what it says stands above`)
  const passed = sum(runs.map((run) => run.passed))
  const failed = sum(runs.map((run) => run.failed)) + wrong.length
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0
}

/** The arguments of each run of vitest. */
async function runsOf(args: readonly string[]): Promise<readonly (readonly string[])[]> {
  const changed = args.find((each) => /^--changed(=|$)/.test(each))
  if (changed === undefined)
    return [[...['unit', 'programs', 'e2e'].map((name) => `--project=${name}`), ...args]]
  const since = changed.split('=')[1]
  const others = args.filter((each) => each !== changed)
  return runsForChange(await changedFiles('.', since), since).map((run) => [...run, ...others])
}

process.exitCode = (await test(process.argv.slice(2))) ? 0 : 1
