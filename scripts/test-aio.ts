/**
 * `npm run test:aio`: a cloud on the all-in-one node with real pods, on this machine: its virtual machines, what remains when a service is
 * removed, and OpenStack's own smoke tests. `-- --night` runs what else needs images or the node: each image's start, the node's life, parts
 * of a cloud in namespaces of their own, faults, upgrades to the next release. Needs root, and brings the rest. Ends with `N passed, N failed`; a test
 * that was skipped counts as failed.
 */
import {runVitest} from './run-vitest.ts'

const FOR_EACH_CHANGE = ['machines/', 'tempest/', 'whole/answers', 'whole/removal'].map(
  (path) => `test/cloud/${path}`,
)

/** What comes in shards of its own, each night. */
const IN_SHARDS = ['test/cloud/catalogue/']

const given = process.argv.slice(2)
const projects = ['images', 'aio', 'cloud*'].map((project) => `--project=${project}`)
const excluded = [...FOR_EACH_CHANGE, ...IN_SHARDS].map((path) => `--exclude=${path}**`)
const chosen =
  given[0] === '--night' ? [...excluded, ...given.slice(1)] : given.length > 0 ? given : FOR_EACH_CHANGE
const {passed, failed, skipped} = await runVitest([...projects, ...chosen])
console.log(`\n${passed} passed, ${failed + skipped} failed`)
process.exitCode = failed + skipped === 0 ? 0 : 1
