import {oncePerObject} from '../../base/once.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {DialectChart} from '../../charts/dialect.ts'
import type {ByHand, SecretNeed} from './plugin.ts'

/**
 * Returns the passwords and keys of accounts that a chart reads, each with its path. The names of accounts
 * are the same in both dialects, so that the server and all its clients get one value. Cached, because a plan
 * needs those of a chart a dozen times.
 */
export const accountSecrets = oncePerObject(listSecrets)

function listSecrets(chart: DialectChart): readonly SecretNeed[] {
  if (chart.dialect === 'kk') return listCredentials(chart).map(belowGlobal)
  return chart.dialect === 'openstack-helm' ? declaredAccounts(chart) : []
}

/** In both dialects the members of RabbitMQ are restarted one after the other. */
const COOKIE: ByHand = {
  why: 'members of RabbitMQ with different cookies do not talk to each other, and are restarted one by one',
  first: 'choose a time at which all members may restart at once',
}

/** The accounts of services get their keys from a job. */
const CEPH: ByHand = {
  why: 'the monitors of Ceph keep the one of their first start',
  first: 'have them take the new value (ceph auth import)',
}

/**
 * Secrets whose new value does not take effect with any upgrade of kk's charts; openstack-helm's MariaDB
 * reads it at each start.
 */
const BY_HAND: Readonly<Record<string, ByHand>> = {
  'oslo_db.admin.password': {
    why: 'MariaDB keeps the one of its first start in its data',
    first: "have MariaDB take the new value (ALTER USER 'root'@'%' IDENTIFIED BY …)",
  },
  'oslo_messaging.erlang_cookie': COOKIE,
  'heat.auth_encryption_key': {
    why: 'encrypted data of heat in the database cannot be read with another key',
    first: 're-encrypt the database (heat-manage update_params decrypt, then encrypt)',
  },
  'barbican.simple_crypto_kek': {
    why: 'no data of barbican can be read with another key',
    first: 'give barbican both keys (values: conf.crypto.simple_crypto_plugin.kek, the new one first)',
  },
  'ceph_mon.fsid': {
    why: 'a cluster of Ceph, and each of its disks, keep the identity of their first start',
    first: 'restore it: no other value decrypts the stored data',
  },
  'ceph_mon.mon.key': CEPH,
  'ceph_mon.admin.key': CEPH,
  'ceph_mon.bootstrap-mgr.key': CEPH,
  'ceph_mon.bootstrap-osd.key': CEPH,
}

/** Credentials that clusters store under another name: the one of openstack-helm's charts. */
const KEPT_AS: Readonly<Record<string, string>> = {
  'orchestration.auth_encryption_key': 'heat.auth_encryption_key',
  'key_manager.simple_crypto_kek': 'barbican.simple_crypto_kek',
}

/**
 * Returns the path of a credential: `oslo_db.admin.password` is at
 * `global.endpoints.oslo_db.auth.admin.password`.
 */
function belowGlobal(credential: string): SecretNeed {
  const [endpoint = '', ...rest] = credential.split('.')
  const name = KEPT_AS[credential] ?? credential
  const path = ['global', 'endpoints', endpoint, 'auth', ...rest]
  return {name, kind: credentialKind(name), path, ...(BY_HAND[name] && {byHand: BY_HAND[name]})}
}

/** Returns the kind of a credential; all are passwords except Ceph's and keys of services that encrypt. */
function credentialKind(name: string): SecretNeed['kind'] {
  if (name.endsWith('.auth_encryption_key')) return 'token'
  if (name.endsWith('_kek')) return 'fernet'
  if (!name.startsWith('ceph_mon.')) return 'password'
  return name.endsWith('.key') ? 'ceph' : 'uuid'
}

/**
 * Returns the names that a chart of kk's own looks up with `common.endpoints.credential`: those in the
 * values, those that the library makes of `databases`, `registration`, `login` and the `uses` of files, and
 * those in the chart's own templates.
 */
function listCredentials({name: chart, values, templates = ''}: DialectChart): readonly string[] {
  const users = Object.entries(mapAt(values, 'databases')).map(([name, database]) =>
    textAt(database, 'user', name),
  )
  const registered = values.registration
    ? ['admin', ...Object.keys(mapAt(values, 'registration', 'users'))]
    : []
  const names = [
    ...users.flatMap((user) => ['oslo_db.admin.password', `oslo_db.${user}.password`]),
    ...registered.map((user) => `identity.${user}.password`),
    ...Object.values(mapAt(values, 'files')).flatMap((file) => usedBy(chart, mapAt(file, 'uses'))),
    ...stringsAt(values, 'login').map((user) => `identity.${user}.password`),
    ...stringsAt(values, 'credential'),
    ...[...templates.matchAll(/"path"\s+"(\w+(?:\.[\w-]+)+)"/g)].map(([, name]) => name!),
  ]
  return [...new Set(names)]
}

/**
 * Returns the names that the blocks of `common` in a file of a chart look up; those of the chart's own
 * databases come from `databases`. On the message bus a service is called as its chart.
 */
function usedBy(chart: string, uses: Values): readonly string[] {
  const database = textAt(uses.database, 'user', textAt(uses.database, 'name', ''))
  const user = textAt(uses.keystone_authtoken, 'user', '')
  const client = textAt(uses.ceph_client, 'user', '')
  return [
    ...(database !== '' ? [`oslo_db.${database}.password`] : []),
    ...(uses.notifications || uses.messaging
      ? ['oslo_messaging.admin.password', `oslo_messaging.${chart}.password`]
      : []),
    ...(uses.coordination ? ['coordination.admin.password'] : []),
    ...Object.values(mapAt(uses.clients, 'accounts')).map((account) => `identity.${account}.password`),
    ...(client === '' ? [] : [`ceph_mon.${client}.key`]),
    ...(user === '' ? [] : [`identity.${user}.password`, 'oslo_cache.memcache_secret_key']),
  ]
}

/** Returns the strings under a key, anywhere among values. */
function stringsAt(value: unknown, key: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : stringsAt(inner, key),
  )
}

/** Endpoints of shared services. `oslo_db_api` and the like are further databases on the one server. */
const SHARED = /^(oslo_db|oslo_messaging|oslo_cache|identity)(?:_\w+)?$/
/** Further keys in `auth` whose values must be the same in all charts that have them. */
const KEYS = ['erlang_cookie', 'memcache_secret_key']

/**
 * Returns the accounts of shared services that a chart of openstack-helm declares below
 * `endpoints.<service>.auth`.
 */
function declaredAccounts({endpoints}: DialectChart): readonly SecretNeed[] {
  return Object.entries(endpoints).flatMap(([endpoint, entry]) => {
    const [, server] = SHARED.exec(endpoint) ?? []
    // PostgreSQL is not the shared server: the chart that declares it has a separate password.
    if (server === undefined || /^postgres/.test(textAt(entry, 'scheme', ''))) return []
    return Object.entries(mapAt(entry, 'auth')).flatMap(([key, account]): readonly SecretNeed[] => {
      const path = ['endpoints', endpoint, 'auth', key]
      if (KEYS.includes(key)) {
        const byHand = key === 'erlang_cookie' && {byHand: COOKIE}
        return [{name: `${server}.${key}`, kind: 'password', path, ...byHand}]
      }
      if (!isMap(account) || !Object.hasOwn(account, 'password')) return []
      const name = `${server}.${accountName(server, key, account)}.password`
      return [{name, kind: 'password', path: [...path, 'password']}]
    })
  })
}

/** Accounts that are named by their keys, as clusters stored them before accounts were read from charts. */
const NAMED_BY_KEY = new Set(['admin', 'heat_trustee', 'heat_stack_user', 'magnum_stack_user'])

/**
 * Returns the name of an account: its user name, whatever its key in the chart, but the key for
 * administrators.
 */
function accountName(server: string, key: string, account: Values): string {
  // The chart of the message bus has its administrator at `user`, its clients at `admin`.
  if (server === 'oslo_messaging' && key === 'user') return 'admin'
  const user = textAt(account, 'username', key)
  return NAMED_BY_KEY.has(key) || !/^[A-Za-z0-9][-._A-Za-z0-9]*$/.test(user) ? key : user
}

function mapAt(value: unknown, ...path: readonly string[]): Values {
  const map = path.reduce<unknown>((at, key) => (isMap(at) ? at[key] : undefined), value)
  return isMap(map) ? map : {}
}

function textAt(value: unknown, key: string, fallback: string): string {
  const string = isMap(value) ? value[key] : undefined
  return typeof string === 'string' && string !== '' ? string : fallback
}
