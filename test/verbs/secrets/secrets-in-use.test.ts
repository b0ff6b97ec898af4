import {expect, test} from 'vitest'
import {isMap, type Values} from '../../../src/base/values.ts'
import {supplyFrom} from '../../../src/cli/open/secrets.ts'
import type {Records} from '../../../src/kubernetes/records/records.ts'
import type {StoredRelease} from '../../../src/kubernetes/records/release-record.ts'
import type {NewSecret} from '../../../src/kubernetes/records/secret-store.ts'
import {generateSecret} from '../../../src/overrides/generate-secret.ts'
import {mergedValues} from '../../../src/overrides/layers.ts'
import type {Plan} from '../../../src/plan/plan.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import {releaseNamespace} from '../../../src/release.ts'
import {keepSecrets} from '../../../src/verbs/change/planned-change.ts'
import type {KnownSecrets} from '../../../src/verbs/secrets/supply-secrets.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord} from '../../plan/fixtures.ts'
import {KK, OSH, preparedOf} from './environments.ts'

const ADMIN = 'oslo_db.admin.password'
const NONE: KnownSecrets = new Map()
const IDLE = {actions: []} as unknown as Plan

/** Keystone stands before mariadb in the file, and after it in the plan, for it requires it. */
const cloud = () =>
  preparedOf(
    {keystone: {}, mariadb: {}},
    {kk: {infer: false, charts: [KK], releases: {keystone: {requires: ['mariadb']}}}},
  )

const adminOf = (password: string): Values => ({
  global: {endpoints: {oslo_db: {auth: {admin: {password}}}}},
})

const known = (value: string): KnownSecrets =>
  new Map([['openstack', new Map([[ADMIN, {value, kind: 'password', since: undefined}]])]])

/** A cluster that keeps secrets, and has releases with these values. */
function clusterWith(deployed: Readonly<Record<string, Values>>, kept = NONE) {
  const read: string[] = []
  const written: NewSecret[] = []
  const stored = Object.entries(deployed).map(
    ([name, values]) => ({...bareRecord(id(name)), values}) as unknown as StoredRelease,
  )
  return {
    read,
    written,
    secrets: {
      read: async (namespace: string) => kept.get(namespace) ?? new Map(),
      list: async () => kept,
      readOther: async () => undefined,
      async add(_: string, secrets: readonly NewSecret[]) {
        written.push(...secrets)
        return new Map(secrets.map((each) => [each.name, {...each, since: undefined}]))
      },
    },
    records: port<Records>({
      list: async (namespace) =>
        stored.filter(({release}) => namespace === undefined || releaseNamespace(release) === namespace),
      async stored(release) {
        read.push(release)
        return stored.find((each) => each.release === release)
      },
    }),
  }
}

function stated({releases}: Prepared, release: string, path: string): unknown {
  const values: unknown = mergedValues(releases.get(id(release))!.layers)
  return path.split('.').reduce((inner, key) => (isMap(inner) ? inner[key] : undefined), values)
}

const adminIn = (prepared: Prepared, release: string) =>
  stated(prepared, release, `global.endpoints.${ADMIN.replace('.', '.auth.')}`)

test('a secret in use that is not kept is not replaced, and is kept by a run without changes', async () => {
  const cluster = clusterWith({mariadb: adminOf('in-use')})

  const supplied = await supplyFrom(await cloud(), cluster, async () => NONE)
  await keepSecrets(supplied, IDLE, cluster.secrets)

  expect(adminIn(supplied.planned, 'mariadb')).toBe('in-use')
  expect(adminIn(supplied.planned, 'keystone')).toBe('in-use')
  expect(supplied.planned.generated!.get(id('mariadb'))).toMatchObject([{name: ADMIN, isNew: false}])
  expect(supplied.planned.secretNotes).toEqual([expect.stringMatching(/helm's records.*: openstack\/\S+$/)])
  expect(supplied.planned.secretNotes!.join()).not.toContain('in-use')
  expect(cluster.written).toMatchObject([{name: ADMIN, kind: 'password', value: 'in-use'}])
})

test('of two values in use the one of the server, which is first in the plan, wins', async () => {
  const cluster = clusterWith({keystone: adminOf('of-client'), mariadb: adminOf('of-server')})

  const {planned} = await supplyFrom(await cloud(), cluster, async () => NONE)

  expect(adminIn(planned, 'keystone')).toBe('of-server')
})

test('a kept secret wins over one in use, and no other records are read', async () => {
  const deployed = {mariadb: adminOf('in-use')}
  const rotated = clusterWith(deployed, known('rotated'))
  const handed = clusterWith(deployed)

  const kept = await supplyFrom(await cloud(), rotated, async () => NONE)
  const stored = await supplyFrom(await cloud(), handed, async () => known('stored'))

  expect(adminIn(kept.planned, 'mariadb')).toBe('rotated')
  expect(adminIn(stored.planned, 'mariadb')).toBe('stored')
  expect([...rotated.read, ...handed.read]).toEqual([])
  expect([...kept.planned.secretNotes!, ...stored.planned.secretNotes!]).toEqual([])
})

test('the default of a chart does not count as a secret in use, stated or not', async () => {
  const cookieOf = (erlang_cookie: string): Values => ({endpoints: {oslo_messaging: {auth: {erlang_cookie}}}})
  const supply = async (values: Values) => {
    const prepared = await preparedOf({rabbitmq: {}}, {kk: {infer: false, charts: [OSH]}})
    const {planned} = await supplyFrom(prepared, clusterWith({rabbitmq: values}), async () => NONE)
    return planned.generated!.get(id('rabbitmq'))!.filter(({isNew}) => !isNew)
  }

  expect(await supply(cookieOf('openstack-cookie'))).toEqual([])
  expect(await supply({})).toEqual([])
  expect(await supply(cookieOf('mine'))).toMatchObject([{name: 'oslo_messaging.erlang_cookie'}])
})

test('a certificate of an authority is not taken for the authority', async () => {
  const prepared = await preparedOf(
    {global: {tls: {internal: true}}, mariadb: {}},
    {kk: {infer: false, charts: [KK]}},
  )
  const makeCertificate = await supplyFrom(prepared, undefined, async () => NONE)
  const deployed = mergedValues(makeCertificate.final.releases.get(id('mariadb'))!.layers)

  const {planned} = await supplyFrom(prepared, clusterWith({mariadb: deployed}), async () => NONE)

  const generated = planned.generated!.get(id('mariadb'))!
  expect(generated).toContainEqual(expect.objectContaining({name: ADMIN, isNew: false}))
  expect(generated).toContainEqual(expect.objectContaining({name: 'tls.authority', isNew: true}))
})

test('a server keeps its private key in use', async () => {
  const key = generateSecret('server')
  const prepared = await preparedOf(
    {global: {tls: {internal: true}}, mariadb: {}},
    {kk: {infer: false, charts: [KK]}},
  )
  const cluster = clusterWith({mariadb: {global: {tls: {files: {'tls.key': key}}}}})

  const {final: settled, missing} = await supplyFrom(prepared, cluster, async () => NONE)

  expect(stated(settled, 'mariadb', 'global.tls.files')).toMatchObject({'tls.key': key})
  expect(missing.find(({name}) => name === 'tls.server.mariadb')).toMatchObject({value: key, isInUse: true})
})
