/** `npm test`: everything but the long tests and those of `npm run test:aio`, with end-to-end tests; brings what it needs. Ends with `N passed, N failed`. */
import {runVitest, step} from './run-vitest.ts'
import {ensureSystemPackages} from './system-packages.ts'

async function test(): Promise<boolean> {
  await ensureSystemPackages((line) => console.log(line))
  for (const script of ['toolbox', 'build']) if (!(await step('node', `scripts/${script}.ts`))) return false
  const checked = (await step('biome', 'check')) && (await step('tsc'))
  const others = ['long', 'aio', 'cloud', 'images'].map((project) => `--project=!${project}`)
  const tested = await runVitest(...others, ...process.argv.slice(2))
  const failed = tested.failed + (checked ? 0 : 1)
  console.log(`\n${tested.passed} passed, ${failed} failed`)
  return failed === 0
}

process.exitCode = (await test()) ? 0 : 1
