import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {readEnvironment} from '../../src/environment/read.ts'
import type {Helm} from '../../src/helm/helm.ts'
import {openHelm} from '../../src/helm/open.ts'
import {helmVersion} from '../../src/helm/version.ts'
import {type Prepared, prepare} from '../../src/prepare/prepare.ts'
import {type ExplainOptions, explainValues} from '../../src/verbs/explain.ts'
import {HELMS} from '../support/helms.ts'
import {toolPath} from '../support/tools.ts'

const ROOT = join(import.meta.dirname, '../..')
const CLOUD = `kk: {charts: [charts]}
global:
  region: RegionTwo
  endpoints:
    oslo_db: {auth: {admin: {password: marked-secret}}}
memcached:
  pod:
    replicas:
      server: 2
`

describe.each(HELMS)('explained values with %s', (name) => {
  let helm: Helm
  let prepared: Prepared
  const keys = async (options: Omit<ExplainOptions, 'release'> = {}, of: Prepared = prepared) => {
    const explained = await explainValues(of, helm, {release: 'memcached', ...options})
    return new Map(explained.keys.map((key) => [key.path.join('.'), key]))
  }

  beforeAll(async () => {
    const path = await toolPath(name)
    helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
    prepared = await prepare({
      environment: readEnvironment({file: 'cloud.yaml', text: CLOUD, directory: ROOT}),
      finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
      values: [],
      sets: [{flag: '--set', release: 'memcached', expression: 'conf.memcached.memory-limit=128'}],
      places: {
        user: async () => ({
          name: 'user',
          source: 'user overrides',
          values: {conf: {memcached: {'max-conns': 9}}},
        }),
      },
    })
  }, 600_000)

  it('cover every key of the final values, with its source', async () => {
    const all = await keys()

    expect([...all].filter(([, {winner}]) => winner === undefined)).toEqual([])
    expect(all.get('pod.replicas.server')).toMatchObject({
      value: 2,
      winner: {layer: 'section', position: {file: 'cloud.yaml', line: 9, column: 7}},
      lost: [],
    })
    expect(all.get('conf.memcached.memory-limit')).toMatchObject({
      winner: {layer: 'set', source: '--set memcached:conf.memcached.memory-limit=***', value: 128},
      lost: [{layer: 'defaults', value: 256, position: {file: join(ROOT, 'charts/memcached/values.yaml')}}],
    })
    expect([...all.keys()].filter((key) => key.startsWith('common.global'))).toEqual([])
  })

  it('show who set a user override and when, and mask secrets of plugins', async () => {
    const all = await keys({
      historyOf: async () => [
        {
          who: 'me@here',
          at: '2026-11-22T00:00:00Z',
          before: null,
          after: 'conf: {memcached: {max-conns: 9}}',
        },
      ],
      secretPaths: async () => [['pod', 'replicas']],
    })

    expect(all.get('conf.memcached.max-conns')?.winner).toMatchObject({
      source: 'user overrides, by me@here at 2026-11-22T00:00:00Z',
      value: 9,
    })
    expect(all.get('pod.replicas.server')).toMatchObject({value: '***', winner: {value: '***'}})
  })

  it('mask secrets unless showSecrets is set', async () => {
    const path = 'global.endpoints.oslo_db.auth.admin.password'

    expect((await keys()).get(path)).toMatchObject({value: '***', winner: {value: '***'}})
    expect((await keys({showSecrets: true})).get(path)).toMatchObject({value: 'marked-secret'})
  })

  it('mask encrypted overrides whose secret paths are no longer known', async () => {
    const releases = [...prepared.releases].map(([release, found]) => {
      const layers = found.layers.map((layer) => ({...layer, sealed: layer.name === 'user'}))
      return [release, {...found, layers}] as const
    })

    const all = await keys({}, {...prepared, releases: new Map(releases)})

    expect(all.get('conf.memcached.max-conns')).toMatchObject({value: '***', winner: {value: '***'}})
    expect(all.get('pod.replicas.server')).toMatchObject({value: 2})
  })

  it("are returned with helm's error if they break the schema of the chart", async () => {
    const broken = await prepare({
      environment: readEnvironment({file: 'cloud.yaml', text: CLOUD, directory: ROOT}),
      finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
      values: [],
      sets: [{flag: '--set', release: 'memcached', expression: 'user.id=many,pod.replicas.server=none'}],
      places: {},
    })

    const explained = await explainValues(broken, helm, {release: 'memcached', key: 'user.id'})

    expect(explained.keys).toMatchObject([{path: ['user', 'id'], value: 'many', winner: {layer: 'set'}}])
    expect(explained.broken?.message).toMatch(
      /^memcached: the values break the schema .*:\n.*--set .*: pod\.replicas\.server: .*\n.*--set .*: user\.id: got string/,
    )
  })

  it('are limited to the requested key and to overridden keys', async () => {
    expect([...(await keys({key: 'pod.replicas'})).keys()]).toEqual(['pod.replicas.server'])
    expect([...(await keys({overridden: true})).keys()].sort()).toEqual([
      'conf.memcached.max-conns',
      'conf.memcached.memory-limit',
      'global.endpoints.oslo_db.auth.admin.password',
      'global.region',
      'pod.replicas.server',
    ])
    await expect(keys({key: 'pod.replica'})).rejects.toMatchObject({code: 'KK_USAGE'})
  })
})
