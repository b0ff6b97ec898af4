import {join} from 'node:path'
import {expect, test} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {supplyFrom} from '../../../src/cli/open/secrets.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Cluster} from '../../../src/kubernetes/cluster.ts'
import type {Records} from '../../../src/kubernetes/records/records.ts'
import type {StoredRelease} from '../../../src/kubernetes/records/release-record.ts'
import {
  type SecretStore,
  type SecretsByName,
  secretMark,
} from '../../../src/kubernetes/records/secret-store.ts'
import type {Layer} from '../../../src/overrides/layer.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {labelsOf} from '../../../src/plan/labels.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {importSecrets} from '../../../src/verbs/secrets/import-secrets.ts'
import {secretUses} from '../../../src/verbs/secrets/list-secrets.ts'
import {
  expectSecretsStated,
  replacedSecretNotes,
  replacedSecrets,
  unstatedSecret,
} from '../../../src/verbs/secrets/replaced-secrets.ts'
import {planRotation} from '../../../src/verbs/secrets/rotate-secret.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import type {KnownSecrets} from '../../../src/verbs/secrets/supply-secrets.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord, desiredOf} from '../../plan/fixtures.ts'

const DATABASE = 'oslo_db.admin.password'
const BUS = 'oslo_messaging.admin.password'

const databaseValue = (password: string): Values => ({
  global: {endpoints: {oslo_db: {auth: {admin: {password}}}}},
})
const busValue = (password: string): Values => ({
  global: {endpoints: {oslo_messaging: {auth: {admin: {password}, erlang_cookie: 'cookie'}}}},
})

/** An environment with one release of a chart of kk's own, whose section has these values. */
function environment(chart: string, section: Values, kk: object = {}): Prepared {
  const layers: Layer[] = [{name: 'section', source: `section ${chart}`, values: section}]
  const found = readChart(join(import.meta.dirname, '../../../charts', chart))
  const release = id(chart)
  const releases = new Map([[release, {chart: found, layers, desired: desiredOf(chart)}]])
  const graph = {releases: [release], requirements: new Map([[release, []]])}
  const environment = readEnvironment({
    file: 'cloud.yaml',
    directory: '/',
    text: JSON.stringify({kk, [chart]: {}}),
  })
  return {environment, graph, releases, plugins: builtInPlugins()} as unknown as Prepared
}

function kept(name: string, value: string, former: readonly string[] = []): KnownSecrets {
  return new Map([['openstack', new Map([[name, {value, kind: 'password', since: undefined, former}]])]])
}

/** What an upgrade of a release would replace that was deployed with the values `before`. */
async function living(chart: string, {before, now, kk, cluster = new Map()}: Change) {
  const stored = {...bareRecord(id(chart)), values: before} as unknown as StoredRelease
  const secrets = {read: async (namespace: string) => cluster.get(namespace) ?? new Map()} as SecretStore
  const records = port<Records>({list: async () => [stored], stored: async () => stored})
  const {planned} = await supplyFrom(environment(chart, now, kk), {secrets, records}, async () => new Map())
  return replacedSecrets(planned, new Map<ReleaseId, readonly StoredRelease[]>([[id(chart), [stored]]]))
}

interface Change {
  readonly before: Values
  readonly now: Values
  readonly kk?: object
  readonly cluster?: KnownSecrets
}

const refusal = (text: string) =>
  expect.objectContaining({code: 'KK_ROTATION', exit: 3, message: expect.stringContaining(text)})

test('secrets that an upgrade does not put into effect are declared by charts', async () => {
  const uses = await secretUses(builtInPlugins())

  expect([...uses].flatMap(([name, {byHand}]) => (byHand ? name : [])).sort()).toEqual([
    'barbican.simple_crypto_kek',
    'ceph_mon.admin.key',
    'ceph_mon.bootstrap-mgr.key',
    'ceph_mon.bootstrap-osd.key',
    'ceph_mon.fsid',
    'ceph_mon.mon.key',
    'heat.auth_encryption_key',
    DATABASE,
    'oslo_messaging.erlang_cookie',
  ])
})

test("rotation of the database's administrator is refused, with the manual steps in order", async () => {
  const prepared = environment('mariadb', {})
  const options = {
    namespace: 'openstack',
    name: DATABASE,
    needs: await secretNeeds(prepared),
    stored: kept(DATABASE, 'one'),
  }

  const rotation = planRotation(prepared, {} as never, options)

  await expect(rotation).rejects.toEqual(refusal('openstack/oslo_db.admin.password would lock out'))
  await expect(rotation).rejects.toHaveProperty(
    'hint',
    expect.stringMatching(/ALTER USER.*; kk secrets import .*; kk upgrade/),
  )
})

test("an import replaces the administrator's password only if it was changed by hand", async () => {
  const replaced: string[] = []
  const present: SecretsByName = kept(DATABASE, 'one').get('openstack')!
  const secretStore = {
    read: async () => present,
    list: async () => new Map(),
    readOther: async () => undefined,
    add: async (_: string, secrets: readonly {readonly name: string}[]) => {
      replaced.push(...secrets.map(({name}) => name))
      return present
    },
  }
  const passwords = {
    secrets: [{name: DATABASE, from: 'database_password', value: 'two'}],
    unknown: [],
    empty: [],
  }
  const uses = await secretUses(builtInPlugins())
  const options = {namespace: 'openstack', replace: true, dryRun: false, uses}

  await expect(importSecrets(passwords, secretStore, {...options, byHand: false})).rejects.toEqual(
    refusal(DATABASE),
  )
  expect(replaced).toEqual([])
  await importSecrets(passwords, secretStore, {...options, byHand: true})

  expect(replaced).toEqual([DATABASE])
})

test('a password in use whose line is deleted is replaced by the kept one, not by a new one', async () => {
  const change = {before: busValue('in-use'), now: busValue('in-use')}
  const deleted = {before: busValue('in-use'), now: {}}
  const keptBefore = kept(BUS, 'other', [secretMark(BUS, 'another')])

  const replaced = await living('rabbitmq', {...deleted, cluster: keptBefore})

  expect(await living('rabbitmq', change)).toEqual([])
  expect(await living('rabbitmq', deleted)).toEqual([])
  expect(replaced).toEqual([{namespace: 'openstack', name: BUS, reason: 'unstated', byHand: undefined}])
  expect(replacedSecretNotes(replaced)).toEqual([expect.stringContaining(`openstack/${BUS}`)])
})

test('an imported or rotated secret needs no confirmation', async () => {
  const deleted = {before: databaseValue('in-use'), now: {}}

  const handed = await living('mariadb', {...deleted, cluster: kept(DATABASE, 'in-use')})
  const former = [secretMark(DATABASE, 'later'), secretMark(DATABASE, 'in-use')]
  const rotated = await living('mariadb', {...deleted, cluster: kept(DATABASE, 'other', former)})

  expect(handed).toEqual([])
  expect(rotated).toEqual([])
})

test('deleting the line of a secret that an upgrade cannot replace is refused, and another value is noted', async () => {
  const other = kept(DATABASE, 'other')
  const deleted = await living('mariadb', {before: databaseValue('in-use'), now: {}, cluster: other})
  const changed = await living('mariadb', {before: databaseValue('in-use'), now: databaseValue('other')})

  expect(() => expectSecretsStated(deleted)).toThrow(
    refusal(`openstack/${DATABASE} is in use and not stated`),
  )
  expect(unstatedSecret(deleted)?.hint).toMatch(/FILE --replace --changed-by-hand$/)
  expect(() => expectSecretsStated(changed)).not.toThrow()
  expect(replacedSecretNotes(changed)).toEqual([
    `another openstack/${DATABASE} is stated, but MariaDB keeps the one of its first start in its data`,
  ])
})

test.each([{secrets: false}, {releases: {mariadb: {secrets: false}}}])(
  'a password in use that kk no longer supplies (%j) is refused like one that is no longer stated',
  async (kk) => {
    const change = {before: databaseValue('in-use'), now: {}, kk, cluster: kept(DATABASE, 'in-use')}

    const found = await living('mariadb', change)

    expect(found).toMatchObject([{name: DATABASE, reason: 'turned-off'}])
    expect(replacedSecretNotes(found)).toEqual([
      expect.stringMatching(/secrets: false.*openstack\/oslo_db\.admin/),
    ])
    expect(() => expectSecretsStated(found)).toThrow(
      refusal(`openstack/${DATABASE} is in use and not stated`),
    )
  },
)

test('stating the password in use after secrets are disabled changes nothing', async () => {
  const off = {kk: {secrets: false}, cluster: kept(DATABASE, 'in-use')}

  const same = {before: databaseValue('in-use'), now: databaseValue('in-use'), ...off}

  expect(await living('mariadb', same)).toEqual([])
})

test('the plan of a rotation has no note on the replaced password', async () => {
  const section = {global: {endpoints: {oslo_messaging: {auth: {erlang_cookie: 'cookie'}}}}}
  const release = id('rabbitmq')
  const prepared = environment('rabbitmq', section)
  const record = {...bareRecord(release, 1), labels: labelsOf(desiredOf('rabbitmq'), 1)}
  const cluster = {
    context: 'test',
    server: 'https://test',
    apiServer: {identity: async () => ({uid: 'c0ffee', version: 'v1.29.4'})},
    records: {
      revisions: async () => [record],
      stored: async () => ({
        ...record,
        chart: {name: 'rabbitmq', version: '0.1.0'},
        values: busValue('in-use'),
        manifest: '',
      }),
    },
    live: {exist: async () => true},
    health: {failedJobs: async () => []},
    leases: {read: async () => undefined, now: () => 0},
  } as unknown as Cluster
  const needs = await secretNeeds(prepared)

  const rotation = await planRotation(prepared, cluster, {
    namespace: 'openstack',
    name: BUS,
    needs,
    stored: kept(BUS, 'in-use'),
  })

  expect(rotation.plan.notes ?? []).toEqual([])
})
