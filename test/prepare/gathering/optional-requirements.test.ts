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
  ['is not brought by it', 'glance: {}\n', false],
  ['counts where the environment has it', 'glance: {}\nceph: {}\n', true],
  ['counts where another requires it', 'glance: {}\ncinder: {}\n', true],
  [
    'does not count where it is taken away',
    'kk: {releases: {glance: {without: [ceph]}}}\nglance: {}\nceph: {}\n',
    false,
  ],
])('an optional requirement %s', async (_, text, counts) => {
  const required = await requiredByGlance(text)

  expect(required).toContain('keystone')
  expect(required.includes('ceph')).toBe(counts)
})
