/**
 * `npm run test:aio`: the images of the charts, the all-in-one node with real pods, and a cloud on it, on this machine; needs root, and brings
 * the rest. Ends with `N passed, N failed`; a test that was skipped counts as failed.
 */
import {runVitest} from './run-vitest.ts'

const projects = ['images', 'aio', 'cloud*'].map((project) => `--project=${project}`)
const args = [...projects, ...process.argv.slice(2)]
const {passed, failed, skipped} = await runVitest(args)
console.log(`\n${passed} passed, ${failed + skipped} failed`)
process.exitCode = failed + skipped === 0 ? 0 : 1
