import {expect, test} from 'vitest'
import {textAt} from '../../../src/base/values.ts'
import {supplyFrom} from '../../../src/cli/open/secrets.ts'
import type {Records} from '../../../src/kubernetes/records/records.ts'
import type {StoredRelease} from '../../../src/kubernetes/records/release-record.ts'
import type {SecretStore} from '../../../src/kubernetes/records/secret-store.ts'
import {mergedValues} from '../../../src/overrides/layers.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {replacedSecrets} from '../../../src/verbs/secrets/replaced-secrets.ts'
import {planRotation} from '../../../src/verbs/secrets/rotate-secret.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {preparedOf} from './environments.ts'

const ADMIN = 'identity.admin.password'
const REFERENCE = {secret: 'keystone-admin', key: 'password'}

const cloud = (secrets: object = {[ADMIN]: REFERENCE}, keystone: object = {}) =>
  preparedOf({keystone, mariadb: {}}, {kk: {infer: false, secrets}})

/** A cluster with these Secrets, by namespace and name, in which kk stores nothing yet. */
function clusterWith(secrets: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  const read: string[] = []
  return {
    read,
    records: port<Records>({list: async () => []}),
    secrets: port<SecretStore>({
      read: async () => new Map(),
      async readOther(namespace, name) {
        read.push(`${namespace}/${name}`)
        const keys = secrets[`${namespace}/${name}`]
        return keys && new Map(Object.entries(keys))
      },
    }),
  }
}

const supply = (prepared: Prepared, secrets: Parameters<typeof clusterWith>[0]) =>
  supplyFrom(prepared, clusterWith(secrets), async () => new Map())

const adminIn = ({releases}: Prepared) =>
  textAt(mergedValues(releases.get(id('keystone'))!.layers), [
    'global',
    'endpoints',
    'identity',
    'auth',
    'admin',
    'password',
  ])

test('a secret that the environment takes from a Secret of the cluster has its value, and is not stored', async () => {
  const {planned, missing} = await supply(await cloud(), {'openstack/keystone-admin': {password: 'of-vault'}})

  expect(adminIn(planned)).toBe('of-vault')
  expect(missing.map(({name}) => name)).not.toContain(ADMIN)
  expect(missing.map(({name}) => name)).toContain('oslo_db.admin.password')
})

test('the Secret may be in another namespace', async () => {
  const prepared = await cloud({[ADMIN]: {...REFERENCE, namespace: 'vault'}})

  const {planned} = await supply(prepared, {'vault/keystone-admin': {password: 'of-vault'}})

  expect(adminIn(planned)).toBe('of-vault')
})

test('a changed value changes the plan, and the same value does not', async () => {
  const digestOf = async (password: string) => {
    const {planned} = await supply(await cloud(), {'openstack/keystone-admin': {password}})
    const name = ({name}: {readonly name: string}) => name === 'system'
    return planned.releases.get(id('keystone'))!.desired.layers.filter(name).slice(-1)
  }
  const others = {[ADMIN]: REFERENCE}
  const stable = async (password: string) =>
    replacedSecrets(
      (await supply(await cloud(others), {'openstack/keystone-admin': {password}})).planned,
      new Map<ReleaseId, readonly StoredRelease[]>([[id('keystone'), [deployed('first')]]]),
    )

  expect(await digestOf('first')).not.toEqual(await digestOf('second'))
  expect(await stable('first')).toEqual([])
  // As if the file stated it: neither refused nor confirmed again.
  expect(await stable('second')).toMatchObject([{name: ADMIN, reason: 'stated'}])
})

function deployed(password: string): StoredRelease {
  const values = {global: {endpoints: {identity: {auth: {admin: {password}}}}}}
  return {release: id('keystone'), values} as unknown as StoredRelease
}

test.each([
  ['a Secret that does not exist', {}, 'the Secret openstack/keystone-admin does not exist'],
  [
    'a Secret without the key',
    {'openstack/keystone-admin': {other: 'hidden-value'}},
    'the Secret openstack/keystone-admin has no value of password',
  ],
])('%s is refused by its name and without a value', async (_, secrets, message) => {
  const refusal = await supply(await cloud(), secrets).catch((error: unknown) => error)

  expect(refusal).toMatchObject({code: 'KK_ENVIRONMENT'})
  expect(String(refusal)).toMatch(/cloud\.yaml:1:\d+: kk\.secrets\.identity\.admin\.password: /)
  expect(String(refusal)).toContain(message)
  expect(String(refusal)).not.toContain('hidden-value')
})

test('a name that no release gets from kk is refused with a suggestion', async () => {
  const typo = supply(await cloud({'identity.admim.password': REFERENCE}), {})
  await expect(typo).rejects.toMatchObject({code: 'KK_ENVIRONMENT', hint: `did you mean ${ADMIN}?`})

  const endpoints = {identity: {auth: {admin: {password: 'stated'}}}}
  const stated = supply(await cloud(undefined, {global: {endpoints}}), {})
  await expect(stated).rejects.toThrow('no release gets this secret from kk')
})

test('without a cluster nothing is read', async () => {
  const {planned} = await supplyFrom(await cloud(), undefined, async () => new Map())

  expect(adminIn(planned)).not.toBeUndefined()
})

test('a rotation by kk is refused with the place of the secret', async () => {
  const prepared = await cloud()
  const record = {value: 'of-vault', kind: undefined, since: undefined, isReferenced: true}
  const rotation = planRotation(prepared, {} as never, {
    namespace: 'openstack',
    name: ADMIN,
    needs: await secretNeeds(prepared),
    stored: new Map([['openstack', new Map([[ADMIN, record]])]]),
  })

  await expect(rotation).rejects.toThrow('kk.secrets takes it from the Secret openstack/keystone-admin')
})
