import {expect, it} from 'vitest'
import {accounts} from '../../../../../src/doctor/charts/checks/accounts/accounts.ts'
import {renderedObjects} from '../../../../../src/kubernetes/manifest/manifest.ts'
import {releaseId} from '../../../../../src/release.ts'

const SECRET = 's3cr3t-value'
const OTHER = 'an0ther-value'

const DATABASE = 'mariadb.openstack.svc.cluster.local:3306'
const BUS = 'rabbitmq.openstack.svc.cluster.local'
const KEYSTONE = 'http://keystone-api.openstack.svc.cluster.local:5000/v3'

it('the check of accounts finds nothing if every client has the values of its server, in charts of openstack-helm', () => {
  expect(
    accounts([toolkitDatabase(), toolkitBus(), toolkitKeystone(), toolkitNova(), toolkitPlacement()]),
  ).toEqual([])
})

it('the check of accounts finds nothing in charts of kk', () => {
  expect(accounts([kkDatabase(), kkBus(), kkKeystone(), kkGlance()])).toEqual([])
})

it('the check of accounts reads `$$` in an option as a dollar sign, as oslo.config does', () => {
  const password = 'abcdefgh$ijkl'

  expect(accounts([kkKeystone(), kkGlance('abcdefgh$$ijkl', password)])).toEqual([])
  expect(accounts([kkKeystone(), kkGlance('abcdefgh$$$ijkl', password)])).toHaveLength(1)
})

it('the check of accounts finds nothing if charts of kk and openstack-helm are mixed and agree', () => {
  expect(accounts([kkDatabase(), toolkitBus(), kkKeystone(), toolkitNova(), toolkitPlacement()])).toEqual([])
})

it.each([
  [
    'the administrator of a database',
    [toolkitDatabase(OTHER), toolkitNova()],
    'DB_CONNECTION of Secret/nova-db-admin',
    'MYSQL_DBADMIN_PASSWORD of Secret/mariadb-dbadmin-password of mariadb',
  ],
  [
    "the administrator of kk's database",
    [kkDatabase(OTHER), toolkitNova()],
    'DB_CONNECTION of Secret/nova-db-admin',
    'oslo_db.admin.password of Secret/mariadb-env of mariadb',
  ],
  [
    'the administrator of a message bus',
    [toolkitBus(OTHER), toolkitNova()],
    'RABBITMQ_CONNECTION of Secret/nova-rabbitmq-admin',
    'RABBITMQ_ADMIN_PASSWORD of Secret/rabbitmq-admin-user of rabbitmq',
  ],
  [
    'the administrator of keystone',
    [toolkitKeystone(OTHER), toolkitPlacement()],
    'OS_PASSWORD of Secret/placement-keystone-admin',
    'OS_PASSWORD of Secret/keystone-keystone-admin of keystone',
  ],
  [
    "the administrator of kk's keystone",
    [kkKeystone(OTHER), toolkitPlacement()],
    'OS_PASSWORD of Secret/placement-keystone-admin',
    'identity.admin.password of Secret/keystone-env of keystone',
  ],
  [
    'an account that another chart makes',
    [toolkitKeystone(), toolkitNova(), toolkitPlacement(OTHER)],
    'nova.conf [placement] password of Secret/nova-etc',
    'OS_PASSWORD of Secret/placement-keystone-user of placement',
  ],
  [
    'an account of a database that its own job makes',
    [toolkitDatabase(), toolkitNova({database: OTHER})],
    'nova.conf [database] connection of Secret/nova-etc',
    'DB_CONNECTION of Secret/nova-db-user of nova',
  ],
  [
    'an account of the message bus',
    [toolkitBus(), toolkitNova({bus: OTHER})],
    'nova.conf [DEFAULT] transport_url of Secret/nova-etc',
    'RABBITMQ_CONNECTION of Secret/nova-rabbitmq-user of nova',
  ],
  [
    "the one account of kk's message bus",
    [kkBus(OTHER), kkGlance()],
    'glance.OS_DEFAULT__TRANSPORT_URL of Secret/glance-env',
    'definitions.json of Secret/rabbitmq-files of rabbitmq',
  ],
  [
    'an account that kk registers',
    [kkKeystone(), kkGlance(OTHER)],
    'glance.OS_KEYSTONE_AUTHTOKEN__PASSWORD of Secret/glance-env',
    'identity.glance.password of Secret/glance-env of glance',
  ],
])('the check of accounts reports client and server of %s', (_, releases, client, server) => {
  const found = accounts(releases)

  expect(found).toMatchObject([{check: 'accounts', level: 'problem', advice: expect.any(String)}])
  expect(found[0]!.what).toContain(client)
  expect(found[0]!.what).toContain(server)
  expect(JSON.stringify(found)).not.toContain(SECRET)
  expect(JSON.stringify(found)).not.toContain(OTHER)
})

it("the check of accounts reports an administrator's name that the server does not have", () => {
  const found = accounts([kkBus(), toolkitNova()])

  expect(found).toMatchObject([{check: 'accounts', level: 'problem', object: 'Secret/nova-rabbitmq-admin'}])
  expect(found[0]!.what).toContain('"rabbitmq"')
  expect(found[0]!.what).toContain('the server has "openstack"')
})

it('the check of accounts warns about different keys of one cache, except random ones', () => {
  const one = cached('one', SECRET)
  const other = cached('other', OTHER)

  expect(accounts([one, other])).toMatchObject([
    {level: 'warning', key: 'api.conf [keystone_authtoken] memcache_secret_key'},
  ])
  expect(accounts([one, {...other, secondRender: cached('other', 'another-again').objects}])).toEqual([])
})

it('the check of accounts finds the server behind a Service of another name if no release creates the named Service', () => {
  const nova = toolkitNova()
  const named = rendered(
    'mariadb',
    service('mariadb-server'),
    secret('mariadb', {MYSQL_DBADMIN_PASSWORD: OTHER}),
  )

  expect(accounts([named, nova])).toMatchObject([{object: 'Secret/nova-db-admin'}])
})

it('the check of accounts does not compare a database on another host', () => {
  const other = rendered(
    'other',
    secret('other-db-admin', {DB_CONNECTION: `mysql+pymysql://root:${OTHER}@db.example.org:3306/x`}),
  )

  expect(accounts([toolkitDatabase(), other])).toEqual([])
})

it('the check of accounts reads accounts with several hosts and encoded passwords, and skips those that a program fills in', () => {
  const url = `rabbit://nova:a%2Fb@rabbitmq-0.rabbitmq.openstack.svc.cluster.local:5672,nova:a%2Fb@rabbitmq-1.rabbitmq.openstack.svc.cluster.local:5672/nova`
  const conf = (text: string) =>
    rendered('one', secret('one-etc', {'one.conf': `[DEFAULT]\ntransport_url = ${text}\n`}))
  const maker = rendered(
    'nova',
    secret('nova-rabbitmq-user', {RABBITMQ_CONNECTION: 'http://nova:a%2Fb@rabbitmq:15672/nova'}),
  )

  expect(accounts([toolkitBus(), maker, conf(url)])).toEqual([])
  expect(accounts([toolkitBus(), maker, conf(url.replaceAll('a%2Fb', '${PASSWORD}'))])).toEqual([])
  expect(accounts([toolkitBus(), maker, conf(url.replaceAll('a%2Fb', 'c'))])).toHaveLength(1)
})

function rendered(name: string, ...objects: readonly string[]) {
  const release = releaseId('openstack', name)
  const text = objects.map((each) => `---\n# Source: ${name}/templates/all.yaml\n${each}`).join('\n')
  const found = renderedObjects(text)
  return {release, objects: found, secondRender: found}
}

function json(object: object): string {
  return JSON.stringify(object)
}

function secret(name: string, texts: Readonly<Record<string, string>>): string {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  return json({apiVersion: 'v1', kind: 'Secret', metadata: {name}, data})
}

function service(name: string): string {
  return json({apiVersion: 'v1', kind: 'Service', metadata: {name}, spec: {ports: [{port: 1}]}})
}

/** Variables: a text, or `[Secret, key]`. */
function job(name: string, variables: Readonly<Record<string, string | readonly [string, string]>>): string {
  const env = Object.entries(variables).map(([variable, value]) =>
    typeof value === 'string'
      ? {name: variable, value}
      : {name: variable, valueFrom: {secretKeyRef: {name: value[0], key: value[1]}}},
  )
  const spec = {template: {spec: {containers: [{name, image: 'x', env}]}}}
  return json({apiVersion: 'batch/v1', kind: 'Job', metadata: {name}, spec})
}

function toolkitDatabase(password = SECRET) {
  return rendered(
    'mariadb',
    service('mariadb'),
    secret('mariadb-dbadmin-password', {MYSQL_DBADMIN_PASSWORD: password}),
    secret('mariadb-secrets', {
      'admin_user.cnf': `[client]\nuser = root\npassword = ${password}\nhost = mariadb\n`,
    }),
    job('mariadb-server', {
      MYSQL_DBADMIN_USERNAME: 'root',
      MYSQL_DBADMIN_PASSWORD: ['mariadb-dbadmin-password', 'MYSQL_DBADMIN_PASSWORD'],
    }),
  )
}

function toolkitBus(password = SECRET) {
  return rendered(
    'rabbitmq',
    service('rabbitmq'),
    secret('rabbitmq-admin-user', {RABBITMQ_ADMIN_USERNAME: 'rabbitmq', RABBITMQ_ADMIN_PASSWORD: password}),
  )
}

function openrc(user: string, password: string, domain = 'service') {
  return {OS_AUTH_URL: KEYSTONE, OS_USERNAME: user, OS_PASSWORD: password, OS_USER_DOMAIN_NAME: domain}
}

function references(object: string, prefix = '') {
  const names = ['OS_USERNAME', 'OS_PASSWORD', 'OS_USER_DOMAIN_NAME', 'OS_AUTH_URL'] as const
  return Object.fromEntries(names.map((name) => [`${prefix}${name}`, [object, name] as const]))
}

/** `bootstrap` takes what the administrator of other charts logs in with. */
function toolkitKeystone(password = SECRET) {
  return rendered(
    'keystone',
    service('keystone-api'),
    secret('keystone-keystone-admin', openrc('admin', password, 'default')),
    job('keystone-db-sync', {OS_BOOTSTRAP_INTERNAL_URL: KEYSTONE, ...references('keystone-keystone-admin')}),
  )
}

function toolkitPlacement(password = SECRET) {
  return rendered(
    'placement',
    secret('placement-keystone-admin', openrc('admin', SECRET, 'default')),
    secret('placement-keystone-user', openrc('placement', password)),
    job('placement-ks-user', {
      ...references('placement-keystone-admin'),
      ...references('placement-keystone-user', 'SERVICE_'),
    }),
  )
}

function toolkitNova({database = SECRET, bus = SECRET} = {}) {
  const conf = `[DEFAULT]
transport_url = rabbit://nova:${bus}@${BUS}:5672/nova
[database]
connection = mysql+pymysql://nova:${database}@${DATABASE}/nova?charset=utf8
[placement]
auth_type = password
auth_url = ${KEYSTONE}
username = placement
password = ${SECRET}
user_domain_name = service
`
  return rendered(
    'nova',
    secret('nova-db-admin', {DB_CONNECTION: `mysql+pymysql://root:${SECRET}@${DATABASE}`}),
    secret('nova-db-user', {DB_CONNECTION: `mysql+pymysql://nova:${SECRET}@${DATABASE}/nova`}),
    secret('nova-rabbitmq-admin', {RABBITMQ_CONNECTION: `http://rabbitmq:${SECRET}@${BUS}:15672`}),
    secret('nova-rabbitmq-user', {RABBITMQ_CONNECTION: `http://nova:${SECRET}@${BUS}:15672/nova`}),
    secret('nova-etc', {'nova.conf': conf}),
    job('nova-db-init', {
      ROOT_DB_CONNECTION: ['nova-db-admin', 'DB_CONNECTION'],
      DB_CONNECTION: ['nova-db-user', 'DB_CONNECTION'],
    }),
    job('nova-rabbit-init', {
      RABBITMQ_ADMIN_CONNECTION: ['nova-rabbitmq-admin', 'RABBITMQ_CONNECTION'],
      RABBITMQ_USER_CONNECTION: ['nova-rabbitmq-user', 'RABBITMQ_CONNECTION'],
    }),
  )
}

function kkDatabase(password = SECRET) {
  return rendered(
    'mariadb',
    service('mariadb'),
    secret('mariadb-env', {'oslo_db.admin.password': password}),
    job('mariadb', {DB_ROOT_PASSWORD: ['mariadb-env', 'oslo_db.admin.password']}),
  )
}

function kkBus(password = SECRET) {
  const definitions = {users: [{name: 'openstack', password, tags: 'administrator'}]}
  return rendered(
    'rabbitmq',
    service('rabbitmq'),
    secret('rabbitmq-files', {'definitions.json': json(definitions)}),
  )
}

function kkKeystone(password = SECRET) {
  return rendered(
    'keystone',
    service('keystone-api'),
    secret('keystone-env', {'identity.admin.password': password}),
    job('keystone-bootstrap', {
      OS_BOOTSTRAP_USERNAME: 'admin',
      OS_BOOTSTRAP_PASSWORD: ['keystone-env', 'identity.admin.password'],
    }),
  )
}

function kkGlance(token = SECRET, account = SECRET) {
  const conf = `[keystone_authtoken]\nauth_url = ${KEYSTONE}\nusername = glance\nuser_domain_name = Default\n`
  return rendered(
    'glance',
    secret('glance-env', {
      'glance.OS_DATABASE__CONNECTION': `mysql+pymysql://glance:${SECRET}@${DATABASE}/glance`,
      'glance.OS_DEFAULT__TRANSPORT_URL': `rabbit://openstack:${SECRET}@${BUS}:5672/`,
      'glance.OS_KEYSTONE_AUTHTOKEN__PASSWORD': token,
      'oslo_db.admin.password': SECRET,
      'oslo_db.glance.password': SECRET,
      'identity.admin.password': SECRET,
      'identity.glance.password': account,
    }),
    json({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'glance-files'},
      data: {'glance.conf': conf},
    }),
    job('glance-db-create', {
      DB_HOST: 'mariadb',
      DB_ADMIN_USER: 'root',
      DB_ADMIN_PASSWORD: ['glance-env', 'oslo_db.admin.password'],
      DB_PASSWORD_GLANCE: ['glance-env', 'oslo_db.glance.password'],
      DATABASES: json([{name: 'glance', user: 'glance', password: 'DB_PASSWORD_GLANCE'}]),
    }),
    job('glance-register', {
      OS_AUTH_URL: KEYSTONE,
      OS_USERNAME: 'admin',
      OS_PASSWORD: ['glance-env', 'identity.admin.password'],
      PASSWORD_GLANCE: ['glance-env', 'identity.glance.password'],
      REGISTRATION: json({users: [{name: 'glance', domain: 'Default', password: 'PASSWORD_GLANCE'}]}),
    }),
    job('glance-api', {
      OS_KEYSTONE_AUTHTOKEN__PASSWORD: ['glance-env', 'glance.OS_KEYSTONE_AUTHTOKEN__PASSWORD'],
    }),
  )
}

function cached(name: string, key: string) {
  const conf = `[keystone_authtoken]\nmemcached_servers = memcached.openstack.svc:11211\nmemcache_secret_key = ${key}\n`
  return rendered(name, secret(`${name}-etc`, {'api.conf': conf}))
}
