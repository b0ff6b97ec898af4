import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {armadaStream} from '../../../src/exchange/armada/overrides.ts'
import {importArmada} from '../../../src/exchange/armada/read.ts'
import {readYamlDocuments} from '../../../src/yaml/yaml.ts'

function chart(name: string, data: object = {}, version = 'v1'): Values {
  const own = version === 'v1' ? {chart_name: name} : {}
  return {
    schema: `armada/Chart/${version}`,
    metadata: {schema: 'metadata/Document/v1', name: `openstack-${name}`},
    data: {
      ...own,
      release: name,
      namespace: 'openstack',
      source: {type: 'local', location: './charts', subpath: name},
      ...data,
    },
  }
}

function group(name: string, charts: readonly string[], sequenced = false): Values {
  return {
    schema: 'armada/ChartGroup/v1',
    metadata: {schema: 'metadata/Document/v1', name},
    data: {sequenced, chart_group: charts.map((each) => `openstack-${each}`)},
  }
}

function manifest(groups: readonly string[]): Values {
  return {
    schema: 'armada/Manifest/v1',
    metadata: {schema: 'metadata/Document/v1', name: 'cloud'},
    data: {release_prefix: 'airship', chart_groups: groups},
  }
}

const CLOUD = [
  ...['mariadb', 'memcached', 'keystone', 'glance', 'nova'].map((name) => chart(name)),
  group('infra', ['mariadb', 'memcached']),
  group('identity', ['keystone', 'glance'], true),
  group('compute', ['nova']),
  manifest(['infra', 'identity', 'compute']),
]

function imported(
  documents: readonly unknown[],
  more: {overrides?: readonly Values[]; isPlain?: boolean; directory?: string} = {},
) {
  const options = {overrides: [], isPlain: true, showSecrets: false, ...more}
  return importArmada({file: 'site/armada.yaml', documents, name: 'cloud', ...options})
}

describe('importing an Armada manifest', () => {
  it('makes each release require the previous group, or the preceding chart of a sequence', () => {
    const {releases, charts, lost} = imported(CLOUD)

    expect(releases.map(({name, requires}) => [name, requires])).toEqual([
      ['mariadb', []],
      ['memcached', []],
      ['keystone', ['mariadb', 'memcached']],
      ['glance', ['keystone']],
      ['nova', ['glance']],
    ])
    expect(charts).toEqual(['./charts'])
    expect(imported(CLOUD, {directory: '.'}).charts).toEqual(['./site/charts'])
    expect(lost).toEqual([
      expect.stringMatching(/^groups: /),
      'release_prefix airship: Armada has installed the releases under other names, with this prefix',
    ])
  })

  it('puts the prefix into release names unless it should be omitted', () => {
    const {releases} = imported(CLOUD, {isPlain: false})

    expect(releases.map(({name, chart: {name: of}}) => [name, of]).slice(0, 2)).toEqual([
      ['airship-mariadb', 'mariadb'],
      ['airship-memcached', 'memcached'],
    ])
    expect(releases[2]!.requires).toEqual(['airship-mariadb', 'airship-memcached'])
  })

  it('resolves the requirements of charts to releases with the prefix', () => {
    const charts = join(import.meta.dirname, '../../../charts')
    const documents = CLOUD.map((each) => JSON.parse(JSON.stringify(each).replaceAll('./charts', charts)))

    const {releases} = imported(documents, {isPlain: false})
    const plain = imported(documents)

    expect(Object.fromEntries(releases.map(({name, without}) => [name, without]))).toMatchObject({
      'airship-mariadb': [],
      'airship-keystone': ['mariadb', 'memcached'],
    })
    expect(plain.releases.flatMap(({without = []}) => without)).toEqual([])
  })

  it('merges overrides as Armada does, including those that kk writes', () => {
    const documents = [
      chart('mariadb', {values: {pod: {replicas: {server: 1}, tolerations: ['a']}, keep: 1}}),
      ...CLOUD.slice(1),
    ]
    const written = armadaStream([
      {name: 'mariadb', namespace: 'openstack', values: {pod: {replicas: {server: 3}, tolerations: 'x, y'}}},
    ])
    const overrides = [
      ...(readYamlDocuments(written) as Values[]),
      {schema: 'armada/Manifest/v1', metadata: {name: 'cloud'}, data: {chart_groups: 'infra, compute'}},
    ]

    const {releases, lost} = imported(documents, {overrides})

    expect(releases[0]).toMatchObject({
      values: {pod: {replicas: {server: 3}, tolerations: ['x', 'y']}, keep: 1},
    })
    expect(releases.map(({name}) => name)).toEqual(['mariadb', 'memcached', 'nova'])
    expect(lost).toContain('openstack-keystone is skipped: no group of the manifest has it')
  })

  it('of version 2 takes chart names from paths', () => {
    const documents = [
      chart('web', {release: 'front', wait: {timeout: 90, resources: {job: {required: false}}}}, 'v2'),
      group('all', ['web']),
      manifest(['all']),
    ]

    expect(imported(documents).releases).toMatchObject([
      {name: 'front', chart: {name: 'web'}, timeout: '90s'},
    ])
  })

  it.each([
    [{test: {enabled: true}}, 'test of web: an environment cannot express it'],
    [{dependencies: ['openstack-common']}, 'dependencies of web: an environment cannot express it'],
    [
      {upgrade: {no_hooks: false, pre: {delete: [{type: 'job'}]}}},
      'pre of web.upgrade: an environment cannot express it',
    ],
    [
      {source: {type: 'git', location: 'https://git.example.org/charts', subpath: 'web'}},
      'the source of the chart web of web: https://git.example.org/charts',
    ],
    [{values: {auth: {password: 'x'}}}, 'secrets of web, omitted: auth.password; --show-secrets writes them'],
  ])('with %j lists what is lost', (data, sentence) => {
    const {lost} = imported([chart('web', data), group('all', ['web']), manifest(['all'])])

    expect(lost).toContain(sentence)
  })

  it('lists substitutions, which Deckhand performs before Armada reads the document', () => {
    const web = chart('web')
    const metadata = {...(web.metadata as object), substitutions: [{src: {}}]}

    const {lost} = imported([{...web, metadata}, group('all', ['web']), manifest(['all'])])

    expect(lost).toContain('substitutions of web: substitute them first, as Deckhand does')
  })

  it.each([
    ['expected one document armada/Manifest/v1 or v2, got none', [chart('web')]],
    ['has no document armada/ChartGroup named gone', [manifest(['gone'])]],
    ['has no document armada/Chart named openstack-gone', [group('all', ['gone']), manifest(['all'])]],
    [
      'document 1 (all): data.sequenced: expected',
      [{...group('all', []), data: {chart_group: [], sequenced: 'no'}}, manifest(['all'])],
    ],
    [
      'document 1 (openstack-web): data.chart_name',
      [{...chart('web'), schema: 'armada/Chart/v2'}, group('all', ['web']), manifest(['all'])],
    ],
  ])('fails: %s', (message, documents) => {
    expect(() => imported(documents)).toThrow(
      expect.objectContaining({code: 'KK_ARMADA', exit: 2, message: expect.stringContaining(message)}),
    )
  })

  it('rejects overrides that match nothing, which Armada would ignore', () => {
    const overrides = [{...chart('keystne'), data: {}}]

    expect(() => imported(CLOUD, {overrides})).toThrow(
      'site/armada.yaml has no document armada/Chart/v1 named openstack-keystne',
    )
  })
})
