import {expect, test} from 'vitest'
import {readKollaPasswords} from '../../../src/exchange/kolla/passwords.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {secretUses} from '../../../src/verbs/secrets/list-secrets.ts'

const PASSWORDS = `
database_password: root
keystone_admin_password: admin
rabbitmq_password: bus
glance_database_password: glance-db
glance_keystone_password: glance-user
nova_database_password: nova-db
horizon_secret_key: session
cinder_rbd_secret_uuid: 8fe70e1e-9d5a-4a3f-8ac2-3a2b4d5e6f70
memcache_secret_key: cache
metadata_secret: shared
barbican_crypto_key: kek
rabbitmq_cluster_cookie: cookie
docker_registry_password: registry
neutron_database_password:
nova_ssh_key: {private_key: key, public_key: key}
`

test("maps kolla's names to secrets that charts use", async () => {
  const {secrets, unknown, empty} = readKollaPasswords(PASSWORDS, 'passwords.yml')
  const uses = await secretUses(builtInPlugins())

  // Of the charts without an environment, those of openstack-helm alone read that one.
  expect(secrets.flatMap(({from, name}) => (uses.has(name) ? [] : [from]))).toEqual([
    'cinder_rbd_secret_uuid',
  ])
  expect(Object.fromEntries(secrets.map(({name, value}) => [name, value]))).toMatchObject({
    'oslo_db.admin.password': 'root',
    'identity.admin.password': 'admin',
    'oslo_messaging.admin.password': 'bus',
    'oslo_db.glance.password': 'glance-db',
    'identity.glance.password': 'glance-user',
  })
  expect(unknown).toEqual(['docker_registry_password', 'nova_ssh_key'])
  expect(empty).toEqual(['neutron_database_password'])
})

test.each([
  [
    '$ANSIBLE_VAULT;1.1;AES256\n6238306664\n',
    'passwords.yml is encrypted with ansible-vault',
    'ansible-vault view passwords.yml',
  ],
  [
    'rabbitmq_password: bus\ndatabase_password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6238306664\n',
    'passwords.yml: encrypted with ansible-vault, expected plain values: database_password',
    'debug -a var=database_password',
  ],
])('rejects what ansible-vault encrypted, with a hint on decryption: %j', (text, message, hint) => {
  expect(() => readKollaPasswords(text, 'passwords.yml')).toThrow(
    expect.objectContaining({
      code: 'KK_YAML',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  )
})

test('rejects what is not a map without quoting it', () => {
  expect(() => readKollaPasswords('hunter2', 'passwords.yml')).toThrow(
    expect.objectContaining({code: 'KK_YAML', message: expect.not.stringContaining('hunter2')}),
  )
})
