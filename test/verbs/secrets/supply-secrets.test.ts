import {join} from 'node:path'
import {expect, test} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Layer} from '../../../src/overrides/layer.ts'
import {mergedValues} from '../../../src/overrides/layers.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {layersOf} from '../../../src/plan/labels.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import {type KnownSecrets, supplySecrets} from '../../../src/verbs/secrets/supply-secrets.ts'
import {id} from '../../graph/graph-of.ts'
import {desiredOf} from '../../plan/fixtures.ts'

const NAME = 'oslo_db.admin.password'
const PATH = ['global', 'endpoints', 'oslo_db', 'auth', 'admin', 'password']

/**
 * An environment with releases of kk's own charts mariadb and memcached; mariadb has these values of its
 * section.
 */
function prepared(section: Values = {}): Prepared {
  const layers: Layer[] = [{name: 'section', source: 'section mariadb', values: section}]
  const releases = ['mariadb', 'memcached'].map((name) => {
    const chart = readChart(join(import.meta.dirname, '../../../charts', name))
    return [id(name), {chart, layers, desired: desiredOf(name)}] as const
  })
  const environment = readEnvironment({file: 'cloud.yaml', directory: '/', text: 'mariadb: {}'})
  return {environment, releases: new Map(releases), plugins: builtInPlugins()} as unknown as Prepared
}

const known = (value: string): KnownSecrets =>
  new Map([['openstack', new Map([[NAME, {value, kind: 'password', since: undefined}]])]])
const NONE: KnownSecrets = new Map()

async function supplied(environment: Prepared, cluster = NONE, store = NONE) {
  const needs = await secretNeeds(environment)
  return supplySecrets(environment, {needs, cluster, store})
}

function passwordIn({releases}: Prepared): unknown {
  const values = mergedValues(releases.get(id('mariadb'))!.layers)
  return PATH.reduce<unknown>((inner, key) => (inner as Values)[key], values)
}

function newIn({generated}: Prepared): readonly string[] {
  return generated!.get(id('mariadb'))!.flatMap(({name, isNew}) => (isNew ? name : []))
}

function systemDigest({releases}: Prepared): string | undefined {
  return layersOf(releases.get(id('mariadb'))!.desired).get('system')
}

test('no secret is supplied if a layer states it, even as null', async () => {
  const stated = (value: unknown) =>
    prepared({global: {endpoints: {oslo_db: {auth: {admin: {password: value}}}}}})

  for (const value of ['mine', '', null]) {
    const environment = stated(value)
    expect((await supplied(environment)).final).toBe(environment)
  }
})

test('the secret of the cluster wins over that of the store, and is not stored again', async () => {
  const {final: settled, planned, missing} = await supplied(prepared(), known('cluster'), known('store'))

  expect(passwordIn(settled)).toBe('cluster')
  expect(systemDigest(planned)).toBe(systemDigest(settled))
  expect(missing).toEqual([])
})

test('a secret that only the store has is used and stored in the cluster', async () => {
  const {final: settled, planned, missing} = await supplied(prepared(), NONE, known('store'))

  expect(passwordIn(settled)).toBe('store')
  expect(newIn(planned)).toEqual([])
  expect(missing).toMatchObject([{namespace: 'openstack', name: NAME, kind: 'password', value: 'store'}])
})

test('plans with a new secret are equal, though each run would generate another value', async () => {
  const [one, other] = [await supplied(prepared()), await supplied(prepared())]

  expect(passwordIn(one.final)).not.toBe(passwordIn(other.final))
  expect(systemDigest(one.planned)).toBe(systemDigest(other.planned))
  expect(systemDigest(one.final)).not.toBe(systemDigest(other.final))
  expect(newIn(one.planned)).toEqual([NAME])
})

test('a generated value has a lower precedence than the section', async () => {
  const {final: settled} = await supplied(prepared({pod: {replicas: 3}}), known('cluster'))

  const {layers} = settled.releases.get(id('mariadb'))!
  expect(layers.map(({name}) => name)).toEqual(['system', 'section'])
})
