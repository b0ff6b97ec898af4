/**
 * `npm run test:aio`: the images of the charts, and the all-in-one node with real pods, on this machine; needs root, and brings
 * the rest. Ends with `N passed, N failed`; a test that was skipped counts as failed.
 */
import {runVitest} from './run-vitest.ts'

// One node per machine: one file after the other.
const args = ['--project=images', '--project=aio', '--no-file-parallelism', ...process.argv.slice(2)]
const {passed, failed, skipped} = await runVitest(...args)
console.log(`\n${passed} passed, ${failed + skipped} failed`)
process.exitCode = failed + skipped === 0 ? 0 : 1
