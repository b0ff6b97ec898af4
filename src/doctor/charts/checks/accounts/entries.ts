import {isMap} from '../../../../base/values.ts'
import {readYaml} from '../../../../yaml/yaml.ts'
import {hostOf, type Mention, mention, osloInterpretations, type Realm} from './mention.ts'
import type {Entry, ValueLocation} from './places.ts'
import {type IniOption, iniOptions, jsonAt, maps, textsOf, urlAccounts} from './texts.ts'

/** Returns the accounts that one key of a Secret or ConfigMap mentions. */
export function inEntry(entry: Entry): readonly Mention[] {
  const {place, text} = entry
  const options = optionsOf(text)
  if (options.length === 0) return [...inUrls(text, place), ...inDefinitions(entry), ...inClouds(entry)]
  const sections = Map.groupBy(options, ({section}) => section)
  return [...sections].flatMap(([section, own]) => {
    const at = (name: string) => ({
      ...place,
      key: `${place.key} ${section === '' ? '' : `[${section}] `}${name}`,
    })
    return [
      ...own.flatMap(({name, value}) => inUrls(value, at(name))),
      ...inSection(section, new Map(own.map(({name, value}) => [name, value])), at),
    ]
  })
}

/** Returns the options of a string that looks like an INI file; a URL that contains `=` does not. */
export function optionsOf(text: string): readonly IniOption[] {
  return text.includes('=') && (text.includes('\n') || text.startsWith('[')) ? iniOptions(text) : []
}

const USERS = [
  ['username', 'password'],
  ['admin_user', 'admin_password'],
  ['rgw keystone admin user', 'rgw keystone admin password'],
  ['rgw_keystone_admin_user', 'rgw_keystone_admin_password'],
  ['stack_domain_admin', 'stack_domain_admin_password'],
  ['trustee_domain_admin_name', 'trustee_domain_admin_password'],
] as const

/** Options that show that an account belongs to keystone. */
const OF_KEYSTONE = [
  'auth_url',
  'auth_uri',
  'auth_type',
  'user_domain_name',
  'user_domain_id',
  'project_name',
]

/** Sections of my.cnf, and of programs that have the parts of a URL in separate options. */
const OF_DATABASE = ['client', 'mysql', 'mysqladmin', 'mysqldump', 'database']

/**
 * Returns the accounts that a section mentions; `at` returns the place of an option, undefined if it is
 * elsewhere.
 */
export function inSection(
  section: string,
  options: ReadonlyMap<string, string>,
  at: (name: string) => ValueLocation | undefined,
): readonly Mention[] {
  const entry = (name: string) => {
    const [text, place] = [options.get(name), at(name)]
    return text === undefined || place === undefined ? undefined : {text, place}
  }
  const servers = options.get('memcached_servers') ?? options.get('memcache_servers')
  const key = entry('memcache_secret_key')
  const isOfKeystone = OF_KEYSTONE.some((name) => options.has(name))
  const domain = options.get('user_domain_name') ?? options.get('user_domain_id')
  const host = hostOf(options.get('auth_url') ?? options.get('auth_uri'))
  return [
    ...mention(
      {realm: 'cache', role: 'client', user: 'memcache_secret_key', host: servers?.split(',')[0]},
      key,
    ),
    ...USERS.flatMap(([user, password]) =>
      password === 'password' && !isOfKeystone
        ? []
        : mention(
            {realm: 'identity', role: 'client', user: options.get(user), domain, host},
            entry(password),
          ),
    ),
    ...mention(
      {realm: 'database', role: 'client', user: options.get('user'), host: options.get('host')},
      OF_DATABASE.includes(section) ? entry('password') : undefined,
    ),
    ...mention(
      {realm: 'message bus', role: 'server', user: options.get('default_user') ?? 'guest'},
      entry('default_pass'),
    ),
  ]
}

const REALMS: readonly (readonly [RegExp, Realm])[] = [
  [/^(?:mysql|mariadb|postgres)/, 'database'],
  [/^(?:rabbit|amqps?|kombu|pyamqp)/, 'message bus'],
]

export function inUrls(text: string, place: ValueLocation): readonly Mention[] {
  if (!text.includes('://') || !text.includes('@')) return []
  return urlAccounts(text).flatMap(({scheme, user, passwords, host}) => {
    // The management API of RabbitMQ uses HTTP.
    const isBus = /^https?$/.test(scheme) && /RABBIT/i.test(place.key)
    const realm = isBus ? 'message bus' : REALMS.find(([pattern]) => pattern.test(scheme))?.[1]
    if (realm === undefined) return []
    const isAdministrator = /-(?:db|rabbitmq)-admin$/.test(place.object)
    return [
      {
        ...{realm, role: isAdministrator ? 'administrator' : 'client', user, host, place},
        passwords: passwords.flatMap(osloInterpretations),
      } as const,
    ]
  })
}

/**
 * Returns the accounts in RabbitMQ definitions, and the additional ones that the chart of openstack-helm
 * creates.
 */
function inDefinitions({text, place}: Entry): readonly Mention[] {
  if (!text.includes('password') || !text.trimStart().startsWith('{')) return []
  const definitions = jsonAt(text, 'users')
  const users = Array.isArray(definitions) ? maps(definitions) : []
  const owners = place.key === 'RABBITMQ_USERS' ? Object.values((jsonAt(text) ?? {}) as object) : []
  return [
    ...users.flatMap((each) =>
      mention(
        {realm: 'message bus', role: 'server', user: textsOf(each).name},
        {text: textsOf(each).password ?? '', place},
      ),
    ),
    ...owners.flatMap((each) =>
      Object.values(isMap(each) && isMap(each.auth) ? each.auth : {}).flatMap((account) =>
        mention(
          {realm: 'message bus', role: 'server', user: textsOf(account).username},
          {text: textsOf(account).password ?? '', place},
        ),
      ),
    ),
  ]
}

/** Returns the accounts in a `clouds.yaml` of the OpenStack clients. */
function inClouds({text, place}: Entry): readonly Mention[] {
  if (!/^clouds:/m.test(text)) return []
  const clouds = yamlAt(text)
  return Object.entries(isMap(clouds) && isMap(clouds.clouds) ? clouds.clouds : {}).flatMap(
    ([name, cloud]) => {
      const {
        username: user,
        user_domain_name: domain,
        password,
        auth_url: url,
      } = textsOf(isMap(cloud) ? cloud.auth : {})
      const at = {...place, key: `${place.key} clouds.${name}`}
      return mention(
        {realm: 'identity', role: 'client', user, domain, host: hostOf(url)},
        {text: password ?? '', place: at},
      )
    },
  )
}

function yamlAt(text: string): unknown {
  try {
    return readYaml(text)
  } catch {
    return undefined
  }
}
