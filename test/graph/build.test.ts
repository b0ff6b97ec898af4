import fc from 'fast-check'
import {expect, test} from 'vitest'
import {build, type Requirement} from '../../src/graph/build.ts'
import type {EdgeKind, ReleaseId} from '../../src/release.ts'
import {arbitraryGraph} from './arbitrary-graph.ts'
import {id, names} from './graph-of.ts'

const charts: Record<string, readonly string[]> = {
  keystone: ['memcached', 'mariadb'],
  glance: ['keystone', 'mariadb', 'rabbitmq'],
  mariadb: [],
  memcached: [],
  rabbitmq: [],
  broken: ['maridb'],
  nova: ['neutron:applied', 'neutron'],
  neutron: [],
  hen: ['egg'],
  egg: ['hen'],
}

function requirementsOf(release: ReleaseId): readonly Requirement[] | undefined {
  const name = release.slice('openstack/'.length)
  return charts[name]?.map((text) => {
    const [required = '', kind = 'ready'] = text.split(':')
    const file = `charts/${name}/Chart.yaml`
    return {
      release: id(required),
      kind: kind as EdgeKind,
      evidence: {source: 'annotation', file, line: 7, text: `kk.openstack.org/requires: "${text}"`},
    }
  })
}

const suggest = (word: string) => (word === 'maridb' ? 'mariadb' : undefined)

test('build adds each requirement once: first the releases of the file in order, then the others by name', () => {
  const graph = build({wanted: [id('glance'), id('keystone')], requirementsOf, suggest})

  expect(names(graph.releases)).toEqual(['glance', 'keystone', 'mariadb', 'memcached', 'rabbitmq'])
  expect(names(graph.requirements.get(id('glance'))!.map((edge) => edge.to))).toEqual([
    'keystone',
    'mariadb',
    'rabbitmq',
  ])
})

test('build merges several requirements of one edge, and ready wins', () => {
  const graph = build({wanted: [id('nova')], requirementsOf, suggest})

  const [edge, ...others] = graph.requirements.get(id('nova'))!
  expect(others).toEqual([])
  expect(edge).toMatchObject({kind: 'ready', evidence: [{line: 7}, {line: 7}]})
})

test('build reports an unknown requirement with its position and a suggestion', () => {
  const act = () => build({wanted: [id('broken')], requirementsOf, suggest})

  expect(act).toThrow(
    expect.objectContaining({
      code: 'KK_UNKNOWN_REQUIREMENT',
      message:
        'broken requires maridb, but no source of charts has it (charts/broken/Chart.yaml:7: kk.openstack.org/requires: "maridb")',
      hint: expect.stringContaining('did you mean "mariadb"?'),
    }),
  )
})

test('build reports a wanted release without a chart', () => {
  const act = () => build({wanted: [id('maridb')], requirementsOf, suggest})

  expect(act).toThrow(
    expect.objectContaining({code: 'KK_CHART_NOT_FOUND', hint: expect.stringContaining('"mariadb"')}),
  )
})

test('build reports releases that wait for each other as KK_CYCLE', () => {
  const act = () => build({wanted: [id('hen')], requirementsOf, suggest})

  expect(act).toThrow(expect.objectContaining({code: 'KK_CYCLE'}))
})

test('build returns the same graph for any order of requirements', () => {
  fc.assert(
    fc.property(arbitraryGraph(), (source) => {
      const stated = (release: ReleaseId): readonly Requirement[] =>
        source.requirements.get(release)!.map(({to, kind}) => ({
          release: to,
          kind,
          evidence: {source: 'environment', file: 'cloud.yaml', text: to},
        }))
      const wanted = source.releases.slice(0, 2)

      const graph = build({wanted, requirementsOf: stated, suggest})
      const turned = build({wanted, requirementsOf: (release) => stated(release).toReversed(), suggest})

      expect(turned).toEqual(graph)
    }),
  )
})
