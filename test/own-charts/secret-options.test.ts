import {isDeepStrictEqual} from 'node:util'
import {describe, expect, it} from 'vitest'
import {secretOptions} from '../../scripts/charts/secret-options.ts'
import {looksSecretPath} from '../../src/redact/looks-secret.ts'
import {redactValue, redactValues} from '../../src/redact/values.ts'
import {SECRET_TEXTS} from '../redact/support/secret-texts.ts'
import {SERVICES, useCharts, valuesOf} from './support/charts.ts'
import {find, type KubernetesObject, ofKind, pods, workloads} from './support/objects.ts'

const charts = await useCharts()
const OPTIONS = secretOptions()
/** Those of a library that each service has, for the services that kk has no image of. */
const EVERYWHERE = OPTIONS.filter(({service}) => service === 'keystone')
const WITH_OPTIONS = [...new Set(OPTIONS.map(({service}) => service))]
const OTHERS = ['fm-rest-api', 'murano', 'nova-api-proxy', 'panko']

it('every service with an image of kk has its options in both releases', () => {
  const lists = new Set(OPTIONS.map(({release, service}) => `${release} ${service}`))

  expect(SERVICES).toEqual(expect.arrayContaining(WITH_OPTIONS))
  expect(lists.size).toBe(2 * WITH_OPTIONS.length)
})

describe.each([...WITH_OPTIONS, ...OTHERS])('the secret options of oslo.config in %s', async (chart) => {
  const own = OPTIONS.filter(({service}) => service === chart)
  const places = new Map(
    (own.length > 0 ? own : EVERYWHERE).map((each) => [`${each.section}.${each.option}`, each]),
  )
  // A file for each, for one secret takes its whole file with it.
  const cases = [...places.values()].flatMap(({section, option, type}, index) => {
    const marks = [`marked-text-${index}-end`, 730_000_000 + index]
    const values =
      type === 'multi valued' || type === 'dict' ? [...marks, lines(`marked-lines-${index}-end`)] : marks
    return values.map((value, at) => ({key: `file_${index}_${at}`, section, option, value}))
  })
  const conf = Object.fromEntries(
    cases.map(({key, section, option, value}) => [key, {[section]: {[option]: value}}]),
  )

  it('are in a Secret that its pods mount, and in no ConfigMap', async () => {
    // No oslo files: where the chart has a variable of that name, an option of a second one is refused.
    const files = Object.fromEntries(
      cases.map(({key}) => [key, {format: 'ini', path: `/etc/${chart}/${key}.conf`}]),
    )

    // Some components list the files that they mount.
    const [component] = Object.keys(valuesOf(chart).components!)
    const components = {[component!]: {files: Object.keys(files)}}

    const objects = await charts.render(chart, {values: {files, conf, components}})

    const names = cases.map(({key}) => `${key}.conf`)
    const open = JSON.stringify(ofKind(objects, 'ConfigMap').flatMap(({data}) => Object.values(data ?? {})))
    expect(open).not.toMatch(/marked-(?:text|lines)|\b73000\d{4}\b/)
    expect(Object.keys(find(objects, 'Secret', `${chart}-files`).data!)).toEqual(
      expect.arrayContaining(names),
    )
    const mounting = pods(workloads(objects)).map(({spec}) => JSON.stringify(spec.volumes))
    expect(mounting.some((volumes) => names.every((name) => volumes.includes(`"${name}"`)))).toBe(true)
  })

  it('are masked in displayed values', () => {
    const shown = JSON.stringify(redactValues({conf}, []))

    expect(shown).not.toMatch(/marked-(?:text|lines)|\b73000\d{4}\b/)
  })
})

it('the templates and kk treat the same names as secret', async () => {
  const listed = new Map(OPTIONS.map(({section, option}) => [option, section]))
  const places = [...listed, ...LIKE_SECRETS.map((name) => [name, 'x'] as const)]
  const key = (index: number) => `file_${index}`
  const files = Object.fromEntries(
    places.map((_, index) => [key(index), {path: `/etc/x/${key(index)}.conf`}]),
  )
  const conf = Object.fromEntries(
    places.map(([name, section], index) => [key(index), {[section]: {[name]: 'geheim'}}]),
  )

  const objects = await charts.render('memcached', {values: {files, conf}})

  const hidden = Object.keys(find(objects, 'Secret', 'memcached-files').data!)
  const isHidden = (_: unknown, index: number) => hidden.includes(`${key(index)}.conf`)
  const isMasked = ([name, section]: readonly [string, string]) => looksSecretPath([section, name], 'geheim')
  expect(places.filter(isHidden)).toEqual(places.filter(isMasked))
})

it('the templates and kk find the same secrets in strings', async () => {
  const texts = SECRET_TEXTS.map(([text]) => text)
  const [files, conf] = [filesOf(texts), byKey(texts)]

  const objects = await charts.render('memcached', {values: {files, conf}})

  expect(hiddenIn(objects, texts)).toEqual(
    SECRET_TEXTS.filter(([text, shown]) => shown !== text).map(([text]) => text),
  )
})

it.each(['helm3', 'helm4'] as const)(
  'the templates and kk find the same secrets in values, by %s',
  async (helm) => {
    const trees = SECRET_TREES.flat()
    const [files, conf] = [filesOf(trees, 'yaml'), byKey(trees)]

    const objects = await charts.render('memcached', {helm, values: {files, conf}})

    expect(hiddenIn(objects, trees)).toEqual(SECRET_TREES[0])
    expect(trees.filter((tree) => !isDeepStrictEqual(redactValue(tree), tree))).toEqual(SECRET_TREES[0])
  },
)

/** Names that are secret, and others that are nearly. */
const LIKE_SECRETS = [
  'adminPassword password2 private_key_pem apiKey APIKey secretId auth-token bearer ca_key key keys kek rootpw connection',
  'monkey topologyKey public_key max_tokens token_provider bypass member_role_id hotkeys ovn_nb_connection Connection',
  'secret_name password_expires_days url login',
].flatMap((line) => line.split(' '))

function lines(mark: string) {
  return {type: 'multistring', values: [mark]}
}

/** A file for each of these. */
function filesOf(contents: readonly unknown[], format = 'text') {
  return Object.fromEntries(contents.map((_, at) => [`file_${at}`, {format, path: `/etc/x/file_${at}`}]))
}

function byKey(contents: readonly unknown[]) {
  return Object.fromEntries(contents.map((content, at) => [`file_${at}`, content]))
}

/** Those that are in the Secret; all others are in the ConfigMap. */
function hiddenIn<T>(objects: readonly KubernetesObject[], contents: readonly T[]): readonly T[] {
  const [hidden, open] = [
    ['Secret', 'memcached-files'],
    ['ConfigMap', 'memcached-etc'],
  ].map(([kind, name]) => Object.keys(find(objects, kind!, name!).data!)) as [string[], string[]]
  const isHidden = (_: T, at: number) => hidden.includes(`file_${at}`)
  expect(contents.filter((each, at) => !isHidden(each, at) && !open.includes(`file_${at}`))).toEqual([])
  return contents.filter(isHidden)
}

/** Values that hold a secret, and values that hold none. */
const SECRET_TREES: readonly (readonly unknown[])[] = [
  [
    {passwords: {admin: 'x'}},
    {passwords: {max_length: 9, admin: 7}},
    {clients: [{name: 'a', apiKey: 'x'}]},
    {env: [{name: 'DB_PASSWORD', value: 'x'}]},
    {env: [{key: 'DB_PASSWORD', value: 'x'}]},
    {args: ['--password', 'x']},
    {args: 'user=a,password=X'},
    {url: 'mysql://nova:a/b@db/nova'},
    {DEFAULT: {transport_url: 'geheim'}},
    {DEFAULT: {'transport-url': 'rabbit://a:b@c'}},
    {database: {connection: {type: 'multistring', values: ['sqlite://']}}},
    {p11_crypto_plugin: {login: 'x'}},
    {authorization: 'Basic eA=='},
    {networks: {private: 'gk3J9sLq0PzX7vB2mN5t'}},
    {tokens: ['x']},
    {tls: {key: '/9j/4AAQSkZJRg=='}},
    {tls: {private_key: ['/etc/ssl/a.key']}},
    {basic_auth: {user: 'x', value: 'y'}},
    {cfg: '[ldap]\npassword = x'},
    {cfg: '{"password": "x"}'},
    {extra: 'password=x'},
    {secrets: {name: 'a', token: 'b'}},
    {secretKeyRef: {name: 'a', token: 'b'}},
    {pure: {pure_api_token: 'x', ssl_client_key_password: 'y'}},
    {hook: 'https://hooks.slack.com/services/T0/B0/abc'},
    {otp: '123456', totp: 'x'},
    {secrets: {identity: {admin: 'nova-keystone-admin', nova: 'S3cret'}}},
    {secrets: {admin: 'nova-keystone-admin'}},
    {[`max_${'long_'.repeat(60)}password`]: 'x'},
  ],
  [
    {password: ''},
    {password: true},
    {database: {connection: 'sqlite:///var/lib/db'}},
    {DEFAULT: {transport_url: 'memory://'}},
    {headers: {Connection: 'close'}},
    {quotas: {quota_secrets: 10}},
    {quota: {encryption_keys: 100}},
    {security_compliance: {report_invalid_password_hash: 'event'}},
    {token: {caching: 'yes', provider: 'fernet', expiration: 5}},
    {credential: {user_limit: 3}},
    {ec2authtoken: {auth_uri: 'http://x'}},
    {service_credentials: {auth_url: 'http://x', username: 'x'}},
    {keystone_authtoken: {auth_url: 'http://x'}},
    {'identity:revoke_token': 'rule:admin_required'},
    {'secret:get': 'role:admin or rule:owner', get_secret: 'rule:all'},
    {ssl: {client_key: '/etc/ssl/private/client.key'}},
    {ssl: {client_key_pem: '"/etc/ssl/private/client.key"'}},
    {secretKeyRef: {name: 'a', key: 'b'}},
    {imagePullSecrets: [{name: 'registry'}]},
    {tolerations: [{key: 'a', operator: 'Exists'}]},
    {args: ['--password', '--user', '--key', '/etc/x', '--token', '$TOKEN']},
    {authorization: 'RBAC'},
    {networks: {private: '10.0.0.0/24'}},
    {'filter:authtoken': {'paste.filter_factory': 'keystonemiddleware.auth_token:filter_factory'}},
    {ca_pem: 'x', certificate: 'y', public_key: 'z'},
    {cfg: '[DEFAULT]\nquota_secrets = 3\n#password = <None>\n'},
    {PWD: '/root', text: 'a: b\n'},
    {secrets: {identity: {admin: 'nova-keystone-admin'}, oslo_db: {nova: {api: 'nova-db-user'}}}},
    {keyrings: {admin: 'pvc-ceph-client-key'}},
    {adopt: 'x', otp_enabled: 'x', hotplug: 'y'},
  ],
]
