import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import {prepare} from '../../../src/prepare/prepare.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** The names of what glance requires, whose chart says `ceph?`. */
async function requiredByGlance(text: string): Promise<readonly string[]> {
  const {graph} = await prepare({
    environment: readEnvironment({file: 'cloud.yaml', text, directory: ROOT}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
  })
  return graph.requirements.get('openstack/glance')!.map(({to}) => to.replace('openstack/', ''))
}

it.each([
  ['does not add the release', 'glance: {}\n', false],
  ['applies if the environment has the release', 'glance: {}\nceph: {}\n', true],
  ['applies if another release requires it', 'glance: {}\ncinder: {}\n', true],
  [
    'does not apply if without removes it',
    'kk: {releases: {glance: {without: [ceph]}}}\nglance: {}\nceph: {}\n',
    false,
  ],
])('an optional requirement %s', async (_, text, counts) => {
  const required = await requiredByGlance(text)

  expect(required).toContain('keystone')
  expect(required.includes('ceph')).toBe(counts)
})
