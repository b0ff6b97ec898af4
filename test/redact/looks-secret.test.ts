import {describe, expect, it} from 'vitest'
import {looksSecret, looksSecretPath, namesSecret} from '../../src/redact/looks-secret.ts'

describe('looksSecret', () => {
  it.each([
    'password',
    'adminPassword',
    'ADMIN_PASSWORD',
    'password2',
    'password_base64',
    'db_passwd',
    'bind_pw',
    'rootpw',
    'OS_PASS',
    'dbpass',
    'secret',
    'secrets',
    'clientSecret',
    'metadata_proxy_shared_secret',
    'token',
    'auth-token',
    'api_key',
    'apiKey',
    'apikey',
    'APIKey',
    'key',
    'keys',
    'secret_key',
    'secretAccessKey',
    'ssh_host_rsa_key',
    'client-key-data',
    'auth_encryption_key',
    'fernet_keys',
    'erlang_cookie',
    'private_key',
    'ceph_keyring',
    'pass',
    'userPass',
    'user-pwd',
    'passphrase',
    'credentials',
    '.dockerconfigjson',
    'approle_secret_id',
    'approle_role_id',
    'root_token_id',
    'secretId',
    'ca_key',
    'bearer',
  ])('returns true for %s', (key) => expect(looksSecret(key)).toBe(true))

  it.each([
    'keystone',
    'monkey',
    'node_selector_key',
    'topologyKey',
    'public_key',
    'routing_key',
    'max_active_keys',
    'max_tokens',
    'compass',
    'bypass_proxy',
    'hotkeys',
    'replicas',
    'region',
    'secretName',
    'secret_db',
    'job_fernet_setup',
    'fernet_rotate',
    'private',
    'member_role_id',
    'ovn_nb_connection',
    'CSRF_COOKIE_SECURE',
    'password_expires_days',
    'token_provider',
  ])('returns false for %s', (key) => expect(looksSecret(key)).toBe(false))
})

it.each([
  ['secrets.db.admin', true],
  ['tokens.admin.value', true],
  ['conf.keystone.token.provider', false],
  ['conf.keystone.token.allow_expired_window', false],
  ['conf.keystone.token.cache_time', false],
  ['conf.keystone.token.expiration', false],
  ['conf.keystone.fernet_tokens.key_repository', false],
  ['conf.glance.keystone_authtoken.auth_url', false],
  ['conf.glance.keystone_authtoken.password', true],
])('looksSecretPath decides whether %s is secret: %s', (path, isSecret) => {
  expect(looksSecretPath(path.split('.'))).toBe(isSecret)
})

it.each([
  ['secrets.identity.admin', 'nova-keystone-admin', false],
  ['secrets.identity.admin', '3c9e1f7a-aa00', true],
  ['secrets.admin', 'nova-keystone-admin', true],
  ['env.valueFrom.secretKeyRef.key', 'DB_PASSWORD', false],
  ['api.volumes.fernet-keys.secret', 'fernet-keys', false],
  ['api.volumes.fernet-keys.path', '/etc/keystone/fernet-keys', false],
  ['api.init.keys.command', ['bash', '-c', 'sleep 2'], false],
  ['job.rbac.keys.verbs', ['get'], false],
  ['api.variables.MYSQL_PWD.credential', 'oslo_db.admin.password', false],
  ['api.variables.MYSQL_PWD.credential', 'S3cret', true],
  ['api.variables.MYSQL_PWD.value', 'oslo_db', true],
  ['api.env.MYSQL_PWD', 'oslo_db', true],
  ['passwords.path', '/etc', true],
  ['env.PWD', '/root', false],
])('looksSecretPath decides whether %s of %s is secret: %s', (path, value, isSecret) => {
  expect(looksSecretPath(path.split('.'), value)).toBe(isSecret)
})

it.each([
  ['private', 'gk3J9sLq0PzX7vB2mN5t', {}, true],
  ['private', '10.0.0.0/24', {}, false],
  ['private', 'private-network', {}, false],
  ['private', true, {}, false],
  ['transport_url', 'geheim', {}, true],
  ['connection', 'geheim', {}, true],
  ['Connection', 'close', {}, false],
  ['connection', {host: 'db'}, {}, false],
  ['connection', 'sqlite:///var/lib/db', {}, false],
  ['backend_argument', {type: 'multistring', values: ['geheim']}, {}, true],
])('saysSecret decides whether %s of %j in %j is secret: %s', (key, value, around, isSecret) => {
  expect(namesSecret(key, value, around)).toBe(isSecret)
})
