import {expect, it} from 'vitest'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {listSecrets, secretUses} from '../../../src/verbs/secrets/list-secrets.ts'
import {storeKeeper} from '../../../src/verbs/secrets/secret-keeper.ts'
import {temporaryStore} from '../overrides/support/service.ts'

it('what the store keeps is listed with its kind and the time of its value', async () => {
  const store = await temporaryStore()
  const before = new Date().toISOString()
  await store.putSecret({name: 'oslo_db.admin.password', namespace: 'openstack', value: 'one'})

  const listed = listSecrets(await storeKeeper(store).list(), 'store', await secretUses(builtInPlugins()))

  expect(listed).toMatchObject([
    {name: 'oslo_db.admin.password', namespace: 'openstack', kind: 'password', keptIn: 'store'},
  ])
  expect(listed[0]?.since?.localeCompare(before)).toBeGreaterThanOrEqual(0)
})
