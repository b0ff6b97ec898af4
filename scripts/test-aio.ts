/**
 * `npm run test:aio`: a cloud on the all-in-one node with real pods, on this machine: its virtual machines,
 * what remains when a service is removed, and OpenStack's own smoke tests. `-- --slurp` upgrades the cloud to
 * the next release of OpenStack under its guests and users, prints what they lost, and runs the tests of
 * virtual machines and OpenStack's own there. `-- --nodes` has three nodes, of which two run instances:
 * drains, migrations, a power cut; `-- --nodes 1/2` and `2/2` are its halves, each with a cloud of its own.
 * `-- --night` runs what else needs images or the node: each image's start,
 * the node's life, parts of a cloud in separate namespaces, faults, upgrades to the next release. Needs root,
 * and installs the rest. Ends with `N passed, N failed`; a skipped test counts as failed.
 */
import {runVitest} from './run-vitest.ts'

const FOR_EACH_CHANGE = ['machines/', 'tempest/', 'whole/answers', 'whole/removal'].map(
  (path) => `test/cloud/${path}`,
)

/** The upgrade to the next release of OpenStack, and what is tested there. */
const UPGRADE = 'test/cloud/slurp/'
const AT_NEXT_RELEASE = [
  UPGRADE,
  ...[
    'machines/',
    'tempest/',
    ...['answers', 'audit', 'guests', 'probes', 'shutdown'].map((of) => `whole/${of}`),
  ].map((path) => `test/cloud/${path}`),
]
const NEXT_RELEASE = {KK_TEST_OPENSTACK: '2026.1'}

/** Suites in separate shards, each night. */
const IN_SHARDS = ['test/cloud/catalogue/']
/** What needs several nodes, in two halves that take as long. */
const NODES: Readonly<Record<string, readonly string[]>> = {
  '1/2': ['test/aio/nodes', ...onNodes('drain', 'evacuation', 'migration', 'ports')],
  '2/2': onNodes('monitoring', 'removal', 'roll', 'tempest', 'without-a-controller'),
}
function onNodes(...lives: readonly string[]): readonly string[] {
  return lives.map((life) => `test/cloud/nodes/${life}`)
}

const projects = ['images', 'aio', 'cloud*'].map((project) => `--project=${project}`)
const excluded = [...FOR_EACH_CHANGE, UPGRADE, ...IN_SHARDS, ...Object.values(NODES).flat()].map(
  (path) => `--exclude=${path}**`,
)

function chosenTests([first, ...more]: readonly string[]): readonly string[] {
  if (first === undefined) return FOR_EACH_CHANGE
  if (first === '--slurp') return [...AT_NEXT_RELEASE, ...more]
  if (first === '--nodes') return chosenNodes(more)
  return first === '--night' ? [...excluded, ...more] : [first, ...more]
}

function chosenNodes([shard = '', ...more]: readonly string[]): readonly string[] {
  const half = NODES[shard]
  return half ? [...half, ...more] : [...Object.values(NODES).flat(), shard, ...more].filter(Boolean)
}

const given = process.argv.slice(2)
const env = given[0] === '--slurp' ? NEXT_RELEASE : {}
const {passed, failed, skipped} = await runVitest([...projects, ...chosenTests(given)], env)
console.log(`\n${passed} passed, ${failed + skipped} failed`)
process.exitCode = failed + skipped === 0 ? 0 : 1
