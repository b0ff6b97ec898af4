import {describe, expect, it} from 'vitest'
import {wordDigest} from '../../../src/graph/inference/facts.ts'
import {inferenceOf, known, lines, object, provides, want} from './known.ts'

/** What `api` requires when it wants this of these others. */
function required(wanted: Parameters<typeof want>, others: readonly ReturnType<typeof known>[]) {
  return inferenceOf([known('api', {wants: [want(...wanted)]}), ...others])
}

describe('the provider of a want', () => {
  const host = (text: string) => ({what: 'host', digest: wordDigest(text)}) as const
  const pods = (labels: Record<string, string>) => ({what: 'pods', labels}) as const

  it.each([
    ['a Service', object('Service/db'), provides('Service/db')],
    ['a Service of another namespace', object('infra/Service/db'), provides('infra/Service/db')],
    ['a class of the cluster', object('PriorityClass/high'), provides('infra/PriorityClass/high')],
    ['a link', {what: 'link', variable: 'MY_DB'} as const, provides('Service/my-db')],
    ['a host', host('db'), provides('Service/db')],
    ['a host with a port of the Service', host('db:1'), provides('Service/db')],
    ['a host with its namespace', host('db.infra:1'), provides('infra/Service/db')],
    ['pods', pods({a: 'b'}), {pods: [{labels: {a: 'b', c: 'd'}}]}],
    [
      'a kind',
      {what: 'kind', group: 'a.org', kind: 'Db'} as const,
      {kinds: [{group: 'a.org', kind: 'Db', plural: 'dbs', versions: []}]},
    ],
  ])('%s', (_, target, provided) => {
    expect(lines(required([target], [known('store', {provided})]))).toEqual(['api -> store ready'])
  })

  it.each([
    ['a Service of another namespace', object('infra/Service/db'), provides('Service/db')],
    ['another kind of the name', object('Service/db'), provides('Secret/db')],
    ['a host with a port that is not the Service’s', host('db:2'), provides('Service/db')],
    ['pods with other labels', pods({a: 'b', e: 'f'}), {pods: [{labels: {a: 'b'}}]}],
    [
      'a kind of another group',
      {what: 'kind', group: 'b.org', kind: 'Db'} as const,
      {kinds: [{group: 'a.org', kind: 'Db', plural: 'dbs', versions: []}]},
    ],
  ])('does not exist for %s', (_, target, provided) => {
    const {requirements, unserved} = required([target], [known('store', {provided})])

    expect(requirements).toEqual([])
    // A host may be anywhere.
    expect(unserved).toHaveLength(target.what === 'host' ? 0 : 1)
  })

  it('of a custom resource is the release that creates it, otherwise the one that defines its kind', () => {
    const kinds = [{group: 'a.org', kind: 'Db', plural: 'dbs', versions: []}]
    const operator = known('operator', {provided: {kinds}})
    const store = known('store', {provided: provides('Db/main')})
    const target = {what: 'kind', group: 'a.org', kind: 'Db', name: 'main'} as const

    expect(lines(required([target], [operator, store]))).toEqual(['api -> store ready'])
    expect(lines(required([target], [operator]))).toEqual(['api -> operator ready'])
  })

  it('is the release itself, if possible', () => {
    const api = known('api', {wants: [want(object('Secret/tls'))], provided: provides('Secret/tls')})

    const {requirements, unserved, ambiguous} = inferenceOf([
      api,
      known('other', {provided: provides('Secret/tls')}),
    ])

    expect({requirements, unserved, ambiguous}).toEqual({requirements: [], unserved: [], ambiguous: []})
  })
})

describe('several possible providers', () => {
  const wanting = (text: string) => known('api', {wants: [want(object(text))]})
  const holding = (name: string, text: string) => known(name, {provided: provides(text)})

  it('are ambiguous', () => {
    const found = inferenceOf([wanting('Secret/tls'), holding('a', 'Secret/tls'), holding('b', 'Secret/tls')])

    expect(found.requirements).toEqual([])
    expect(found.ambiguous[0]!.candidates.map(({release}) => release)).toEqual(['openstack/a', 'openstack/b'])
  })

  it.each([
    ['what the requirer states', {stated: ['b']}, 'api -> b ready'],
    ['what it is said to do without', {without: ['a']}, 'api -> b ready'],
    ['what the environment names', {named: ['api', 'b']}, 'api -> b ready'],
  ])('are distinguished by %s', (_, options, expected) => {
    const releases = [wanting('Secret/tls'), holding('a', 'Secret/tls'), holding('b', 'Secret/tls')]

    expect(lines(inferenceOf(releases, options))).toEqual([expected])
  })

  it.each([
    ['the same name', 'Service/db', ['db', 'other'], 'api -> db ready'],
    ['the beginning of the name', 'Service/db-server', ['other', 'db'], 'api -> db ready'],
    ['the longest beginning', 'Service/db-server-x', ['db', 'db-server'], 'api -> db-server ready'],
  ])('are distinguished by %s', (_, text, names, expected) => {
    const releases = [wanting(text), ...names.map((name) => holding(name, text))]

    expect(lines(inferenceOf(releases))).toEqual([expected])
  })

  it('are not ambiguous if the release requires all of them explicitly', () => {
    const releases = [wanting('Secret/tls'), holding('a', 'Secret/tls'), holding('b', 'Secret/tls')]

    expect(inferenceOf(releases, {stated: ['a', 'b']}).ambiguous).toEqual([])
  })

  it('are ignored if an object is only mentioned', () => {
    const api = known('api', {wants: [want(object('Secret/tls'), 'soft')]})

    const found = inferenceOf([api, holding('a', 'Secret/tls'), holding('b', 'Secret/tls')])

    expect([...found.requirements, ...found.ambiguous, ...found.unserved]).toEqual([])
  })

  it('are ignored if all are excluded', () => {
    const found = inferenceOf([wanting('Secret/tls'), holding('a', 'Secret/tls')], {without: ['a']})

    expect([...found.requirements, ...found.unserved]).toEqual([])
  })
})

describe('the kind of an inferred requirement', () => {
  const kinds = [{group: 'a.org', kind: 'Db', plural: 'dbs', versions: ['v1']}]
  const target = {what: 'kind', group: 'a.org', kind: 'Db'} as const

  it.each([
    ['applied for a definition', [], 'applied'],
    ['ready if a webhook of its owner must pass the object', [{group: 'a.org', resource: 'dbs'}], 'ready'],
    ['ready if that must pass all', [{group: '*', resource: '*'}], 'ready'],
    ['applied if that passes others', [{group: 'a.org', resource: 'others'}], 'applied'],
  ])('is %s', (_, guarded, kind) => {
    const operator = known('operator', {provided: {kinds, guarded}})

    expect(lines(required([target, 'applied'], [operator]))).toEqual([`api -> operator ${kind}`])
  })

  it('is soft for an object that a Job with its name creates', () => {
    const store = known('store', {provided: {madeByJobs: [wordDigest('tls')]}})

    const found = required([object('Secret/tls'), 'applied'], [store])

    expect(lines(found)).toEqual(['api -> store soft'])
    expect(found.requirements[0]!.evidence.text).toBe(
      'Deployment/api waits, which a Job is configured to create',
    )
  })

  it('is soft for a mentioned object, and applied for shared infrastructure', () => {
    const wanted = [object('Service/db'), 'soft'] as const

    expect(lines(required([...wanted], [known('db', {provided: provides('Service/db')})]))).toEqual([
      'api -> db soft',
    ])
    expect(
      lines(required([...wanted], [known('db', {provided: provides('Service/db'), shared: true})])),
    ).toEqual(['api -> db applied'])
  })
})

describe('a release that inference adds to an environment', () => {
  const db = known('db', {provided: provides('Service/db')})

  it('has a chart of the chart index that provides a want', () => {
    const api = known('api', {wants: [want(object('Service/db'))]})

    const found = inferenceOf([api], {chartIndex: [db, known('other')]})

    expect(found.added).toEqual(['openstack/db'])
    expect(lines(found)).toEqual(['api -> db ready'])
  })

  it('never only provides a mentioned object, unless it is shared infrastructure', () => {
    const api = known('api', {wants: [want(object('Service/db'), 'soft')]})

    expect(inferenceOf([api], {chartIndex: [db]}).added).toEqual([])
    expect(inferenceOf([api], {chartIndex: [{...db, shared: true}]}).added).toEqual(['openstack/db'])
  })

  it('is not needed if the environment has a provider', () => {
    const api = known('api', {wants: [want(object('Service/db'))]})
    const own = known('own', {provided: provides('Service/db')})

    expect(inferenceOf([api, own], {chartIndex: [db]}).added).toEqual([])
  })

  it('is ambiguous if several charts are possible', () => {
    const api = known('api', {wants: [want(object('Service/x'))]})
    const chartIndex = ['a', 'b'].map((name) => known(name, {provided: provides('Service/x')}))

    expect(inferenceOf([api], {chartIndex}).ambiguous).toHaveLength(1)
  })
})

it('infer ignores hosts without a provider, because they may be anywhere', () => {
  const digest = wordDigest('ntp.example.org')

  expect(required([{what: 'host', digest}], []).unserved).toEqual([])
})
