import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readEnvironment} from '../../src/environment/read.ts'
import type {Layer} from '../../src/overrides/layer.ts'
import {prepare} from '../../src/prepare/prepare.ts'
import {showValues} from '../../src/verbs/values.ts'

const ROOT = join(import.meta.dirname, '../..')
const CLOUD = 'kk: {charts: [charts]}\nmemcached: {auth: {password: geheim}, pod: {replicas: {server: 2}}}\n'

async function valuesWith(user: Pick<Layer, 'values' | 'sealed'>, showSecrets: boolean) {
  const prepared = await prepare({
    environment: readEnvironment({file: 'cloud.yaml', text: CLOUD, directory: ROOT}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
    places: {user: async () => ({name: 'user', source: 'user overrides', ...user})},
  })
  return (await showValues(prepared, {release: 'memcached', showSecrets})).values
}

it.each([
  [{values: {conf: {token: 'geheim'}}, sealed: true}, {conf: {token: '***'}}],
  [{values: {conf: {pin: 1234}}, sealed: true}, {conf: {pin: '***'}}],
  [{values: {conf: {pin: 1234}}}, {conf: {pin: 1234}}],
])(
  'the values of a release with %j are shown with masked secrets unless showSecrets is set',
  async (user, shown) => {
    const pod = {replicas: {server: 2}}

    expect(await valuesWith(user, false)).toEqual({auth: {password: '***'}, pod, ...shown})
    expect(await valuesWith(user, true)).toEqual({auth: {password: 'geheim'}, pod, ...user.values})
  },
)
