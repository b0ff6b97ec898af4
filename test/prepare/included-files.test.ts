import {join} from 'node:path'
import {expect, it} from 'vitest'
import {loadEnvironment} from '../../src/environment/load.ts'
import {inputsDigest} from '../../src/plan/digest.ts'
import {prepare} from '../../src/prepare/prepare.ts'
import {releaseId} from '../../src/release.ts'
import {type Files, writeFiles} from '../charts/support/write-files.ts'

const FILES = {
  'one.yaml': `kk:
  charts: [${join(import.meta.dirname, '../fixtures/charts')}]
  include: [common.yaml]
  releases: {api: {chart: workload, values: [api.yaml]}}
`,
  'common.yaml': 'api: {pod: {replicas: 2}}\n',
  'api.yaml': 'pod: {text: a}\n',
}

/** The digest of all that decides the release `api`. */
async function digestWith(files: Files): Promise<string> {
  const environment = await loadEnvironment({file: 'one.yaml', cwd: writeFiles({...FILES, ...files})})
  const unused = async () => expect.unreachable('no chart is fetched')
  const {releases} = await prepare({
    environment,
    finding: {
      builtIn: unused,
      cache: '/nonexistent',
      packages: {pull: unused, names: unused, index: unused, push: unused},
    },
    values: [],
    sets: [],
  })
  return inputsDigest(releases.get(releaseId('openstack', 'api'))!.desired)
}

it.each([
  ['an included file', {'common.yaml': 'api: {pod: {replicas: 3}}\n'}],
  ['a file of values', {'api.yaml': 'pod: {text: b}\n'}],
])('a change of %s changes the digest of the release', async (_, change) => {
  const digest = await digestWith({})

  expect(await digestWith({})).toBe(digest)
  expect(await digestWith(change)).not.toBe(digest)
})
