import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {kk, kubectl, makeNamespace, nodeHome, nodeUp} from './support/node.ts'
import {pushRandomImage} from './support/random-image.ts'

const CHARTS = join(import.meta.dirname, '../../bench/charts')

let namespace: string
let directory: string
let registry: string
beforeAll(async () => {
  registry = (await nodeUp()).registry
  namespace = await makeNamespace()
  directory = testDirectory()
})
afterAll(async () => {
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
})

/**
 * `later` requires `first`, which takes its time to start; each has an image of its own that the node has
 * never seen.
 */
async function writeEnvironment(): Promise<string> {
  const image = (name: string) => `${registry}/${namespace}/${name}:1`
  for (const name of ['first', 'later'])
    await pushRandomImage({reference: image(name), megabytes: 1, home: nodeHome()})
  const environment = {
    kk: {
      ...{name: namespace, namespace, charts: [CHARTS], infer: false},
      releases: {first: {chart: 'service'}, later: {chart: 'service', requires: ['first']}},
    },
    first: {image: image('first'), start: 15},
    later: {image: image('later')},
  }
  const file = join(directory, 'env.yaml')
  await writeFile(file, JSON.stringify(environment))
  return file
}

it('the image of a later release is on the node before its pod starts, and the pulling pod is deleted', async () => {
  const environment = await writeEnvironment()

  const {exitCode, stderr} = await kk(['deploy', environment, '--sandbox-name', 'aio', '--yes'])

  expect(exitCode, stderr).toBe(0)
  expect(stderr).toMatch(/^pulled 1 image of later releases to 1 node ahead, in \d+ s$/m)
  const events = await kubectl([
    'get',
    'events',
    '--namespace',
    namespace,
    '--field-selector',
    'reason=Pulled',
  ])
  expect(
    events.split('\n').filter((line) => /pod\/later-.*already present on machine/.test(line)),
  ).toHaveLength(1)
  expect(await kubectl(['get', 'jobs', '--namespace', namespace, '--output', 'name'])).toBe('')
}, 600_000)
