import {expect, it} from 'vitest'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {releaseName} from '../../../src/release.ts'
import {secretsText} from '../../../src/report/secrets/secrets-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {listSecrets, secretReaders, secretUses} from '../../../src/verbs/secrets/list-secrets.ts'
import {overrideSecretStore} from '../../../src/verbs/secrets/override-secret-store.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import {temporaryStore} from '../overrides/support/service.ts'
import {OSH, preparedOf} from './environments.ts'

it('secrets of the store are listed with their kind and time', async () => {
  const store = await temporaryStore()
  const before = new Date().toISOString()
  await store.putSecret({name: 'oslo_db.admin.password', namespace: 'openstack', value: 'one'})

  const listed = listSecrets(
    await overrideSecretStore(store).list(),
    'store',
    await secretUses(builtInPlugins()),
  )

  expect(listed).toMatchObject([
    {name: 'oslo_db.admin.password', namespace: 'openstack', kind: 'password', keptIn: 'store'},
  ])
  expect(listed[0]?.since?.localeCompare(before)).toBeGreaterThanOrEqual(0)
})

const DATABASE = 'oslo_db.admin.password'

it('with an environment, the list shows the releases that get each secret, without those that state it or do not use it', async () => {
  const stated = {endpoints: {identity: {auth: {neutron: {password: 'mine'}}}}}
  const prepared = await preparedOf(
    {nova: stated, neutron: {}, designate: {}, mariadb: {}},
    {kk: {charts: [OSH]}},
  )
  const kept = new Map([
    [
      'openstack',
      new Map(
        [DATABASE, 'identity.designate.password', 'identity.neutron.password', 'identity.heat.password'].map(
          (name) => [name, {value: 'one', kind: 'password', since: undefined}],
        ),
      ),
    ],
  ])

  const listed = listSecrets(
    kept,
    'cluster',
    await secretUses(prepared.plugins),
    await secretReaders(prepared),
  )

  expect(listed.map(({name, charts, releases}) => ({name, charts, releases}))).toEqual([
    {
      name: 'identity.designate.password',
      charts: ['designate', 'neutron'],
      releases: ['openstack/designate', 'openstack/neutron'],
    },
    {name: 'identity.heat.password', charts: [], releases: []},
    {name: 'identity.neutron.password', charts: [], releases: []},
    {
      name: DATABASE,
      charts: ['designate', 'mariadb', 'neutron', 'nova'],
      releases: ['openstack/designate', 'openstack/mariadb', 'openstack/neutron', 'openstack/nova'],
    },
  ])
  expect(viewText(secretsText(listed))).toContain('designate, mariadb, neutron, nova')
})

it.each([
  [{secrets: false}, []],
  [{releases: {nova: {secrets: false}}}, ['mariadb']],
  [{secrets: false, releases: {nova: {secrets: true}}}, ['nova']],
])('kk: %j disables generated secrets except for %j', async (settings, expected) => {
  const prepared = await preparedOf({nova: {}, mariadb: {}}, {kk: {charts: [OSH], ...settings}})

  const needs = await secretNeeds(prepared)

  expect([...needs.keys()].map(releaseName)).toEqual(expected)
})
