import {symlink} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {isMap} from '../../../src/base/values.ts'
import {mergedValues} from '../../../src/overrides/layers.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import {releaseId} from '../../../src/release.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import {withSharedSecrets} from '../../../src/verbs/secrets/shared-secrets.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {KK, OSH, preparedOf} from './environments.ts'

/** kk's charts, but for nova's, which is openstack-helm's. */
const MIXED = {infer: false, charts: [await onlyNova(), KK]}
const PURE = {infer: false, charts: [OSH]}

function at({releases}: Prepared, name: string, path: string, namespace = 'openstack'): unknown {
  const values: unknown = mergedValues(releases.get(releaseId(namespace, name))!.layers)
  return path.split('.').reduce((inner, key) => (isMap(inner) ? inner[key] : undefined), values)
}

async function onlyNova(): Promise<string> {
  const directory = testDirectory()
  for (const chart of ['nova', 'helm-toolkit']) await symlink(join(OSH, chart), join(directory, chart))
  return directory
}

const adminOf = (password: string) => ({endpoints: {identity: {auth: {admin: {password}}}}})

test("passwords in global apply to openstack-helm's charts, including accounts that no chart of kk's has", async () => {
  const auth = {
    oslo_db: {auth: {admin: {password: 'database'}, nova: {password: 'database-nova'}}},
    oslo_messaging: {auth: {admin: {password: 'bus'}}},
    oslo_cache: {auth: {memcache_secret_key: 'cache'}},
    identity: {auth: {admin: {password: 'admin'}}},
  }
  const opened = await preparedOf(
    {global: {endpoints: auth}, mariadb: {}, rabbitmq: {}, keystone: {}, nova: {}},
    {kk: MIXED},
  )

  const prepared = await withSharedSecrets(opened)

  expect(at(prepared, 'nova', 'endpoints.oslo_db.auth.admin.password')).toBe('database')
  expect(at(prepared, 'nova', 'endpoints.oslo_db_api.auth.admin.password')).toBe('database')
  expect(at(prepared, 'nova', 'endpoints.oslo_db_cell0.auth.nova.password')).toBe('database-nova')
  expect(at(prepared, 'nova', 'endpoints.oslo_messaging.auth.admin.password')).toBe('bus')
  expect(at(prepared, 'nova', 'endpoints.oslo_cache.auth.memcache_secret_key')).toBe('cache')
  expect(at(prepared, 'nova', 'endpoints.identity.auth.admin.password')).toBe('admin')
  expect(prepared.secretNotes).toEqual([])
})

test('a shared secret is not generated, and digests are those of its value', async () => {
  const opened = await preparedOf({keystone: adminOf('mine'), nova: {}}, {kk: PURE})

  const prepared = await withSharedSecrets(opened)

  const nova = releaseId('openstack', 'nova')
  const needs = (await secretNeeds(prepared)).get(nova)!.map(({name}) => name)
  expect(needs).not.toContain('identity.admin.password')
  expect(needs).toContain('identity.nova.password')
  expect(prepared.releases.get(nova)!.desired.layers).not.toEqual(opened.releases.get(nova)!.desired.layers)
})

test("passwords in a section of openstack-helm's keystone are shared within its namespace only", async () => {
  const prepared = await withSharedSecrets(
    await preparedOf(
      {keystone: adminOf('mine'), nova: {}, cinder: {}},
      {kk: {...PURE, releases: {cinder: {namespace: 'other'}}}},
    ),
  )

  expect(at(prepared, 'nova', 'endpoints.identity.auth.admin.password')).toBe('mine')
  expect(at(prepared, 'cinder', 'endpoints.identity.auth.admin.password', 'other')).toBeUndefined()
})

test("passwords at the top of a section of kk's keystone are shared with openstack-helm's, and the reverse", async () => {
  const kk = await withSharedSecrets(await preparedOf({keystone: adminOf('mine'), nova: {}}, {kk: MIXED}))
  const osh = await withSharedSecrets(await preparedOf({keystone: {}, nova: adminOf('mine')}, {kk: MIXED}))

  expect(at(kk, 'nova', 'endpoints.identity.auth.admin.password')).toBe('mine')
  expect(at(osh, 'keystone', 'global.endpoints.identity.auth.admin.password')).toBe('mine')
})

test('two values of one account are noted with both positions, and each release keeps its own', async () => {
  const prepared = await withSharedSecrets(
    await preparedOf({keystone: adminOf('uno'), nova: adminOf('due'), cinder: {}}, {kk: PURE}),
  )

  expect(prepared.secretNotes).toEqual([
    expect.stringMatching(
      /^openstack\/identity\.admin\.password has two values, at cloud\.yaml:\d+ and at cloud\.yaml:\d+: (?!.*(?:uno|due))/,
    ),
  ])
  expect(at(prepared, 'nova', 'endpoints.identity.auth.admin.password')).toBe('due')
  expect(at(prepared, 'cinder', 'endpoints.identity.auth.admin.password')).toBe('uno')
})

test('empty values, defaults of charts and releases without secrets of kk are not shared', async () => {
  const empty = await preparedOf({keystone: adminOf(''), nova: {}}, {kk: PURE})
  const off = await preparedOf(
    {keystone: adminOf('mine'), nova: {}},
    {kk: {...PURE, releases: {nova: {secrets: false}}}},
  )

  expect(at(await withSharedSecrets(empty), 'nova', 'endpoints.identity.auth.admin.password')).toBeUndefined()
  expect(at(await withSharedSecrets(off), 'nova', 'endpoints.identity.auth.admin.password')).toBeUndefined()
})
