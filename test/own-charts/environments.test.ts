import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {ofKind, servers} from './support/objects.ts'

type Environment = Readonly<Record<string, object>>
const ENVIRONMENTS = join(import.meta.dirname, '../../environments')
const environment = (name: string) => load(readFileSync(join(ENVIRONMENTS, name), 'utf8')) as Environment

const charts = await useCharts()

describe.each([
  ['all-in-one.yaml', ['mariadb', 'rabbitmq', 'memcached', 'keystone', 'glance', 'horizon']],
  ['infra.yaml', ['mariadb', 'rabbitmq', 'memcached']],
])('environments/%s', (name, services) => {
  const {kk, global, ...sections} = environment(name)

  it('has these services, as its file name indicates', () => {
    expect(Object.keys(sections).sort()).toEqual([...services].sort())
    expect(kk).toMatchObject({name: name.replace('.yaml', ''), namespace: 'openstack'})
  })

  it.each(services)('creates %s, one of each and without a volume', async (service) => {
    const objects = await charts.render(service, {global: global!, values: sections[service]!})

    expect(servers(objects).map(({spec}) => spec?.replicas)).toEqual([1])
    expect(ofKind(objects, 'PersistentVolumeClaim')).toEqual([])
  })
})

describe('environments/catalogue.yaml', () => {
  const {kk, global, ...sections} = environment('catalogue.yaml')
  const {endpoints} = global as {endpoints: object}

  it('is deployed after the cloud, and has the accounts of the services that it uses there', () => {
    expect(kk).toMatchObject({name: 'catalogue', namespace: 'openstack'})
    expect((environment('cloud.yaml')['global'] as {endpoints: object}).endpoints).toMatchObject(endpoints)
  })

  it.each(Object.keys(sections))('creates %s, with the secrets that kk generates', async (service) => {
    const objects = await charts.render(service, {
      global: mergeValues(GIVEN, global as Values),
      values: sections[service]!,
    })

    expect(servers(objects).length).toBeGreaterThan(0)
  })
})

it('services of another environment use the infrastructure with the same account', () => {
  const shared = (environment('all-in-one.yaml')['global'] as {endpoints: Record<string, object>}).endpoints
  const infra = (environment('infra.yaml')['global'] as {endpoints: Record<string, object>}).endpoints

  expect(shared).toMatchObject(infra)
})
