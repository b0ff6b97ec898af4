import type {ExaminedRelease} from '../../examined-release.ts'
import {inEntry, inSection, inUrls, optionsOf} from './entries.ts'
import {hostOf, type Mention, mention, type Realm, type Role} from './mention.ts'
import {type Entry, type NamedValues, type ObjectValues, objectValues, type ValueLocation} from './places.ts'
import {jsonAt, maps, textsOf} from './texts.ts'

/**
 * Returns every place in these charts that contains the password of an account, once, with its strongest
 * role.
 */
export function mentionsIn(
  releases: readonly Pick<ExaminedRelease, 'release' | 'objects'>[],
): readonly Mention[] {
  const holdings = objectValues(releases)
  const sections = sectionsByRelease(holdings.entries)
  const inContainers = holdings.containers.flatMap((values) => [
    ...pairsIn(values, true),
    ...makersIn(values),
    ...groupsIn(values, sections),
    ...[...values.values.values()].flatMap(inLiteral),
  ])
  // The variables of a container have more details of an account (host, role) than the Secret with the
  // password.
  const mentioned = new Set(inContainers.map(({place}) => entryKey(place)))
  const all = [
    ...inContainers,
    ...holdings.secrets
      .flatMap((values) => pairsIn(values, false))
      .filter(({place}) => !mentioned.has(entryKey(place))),
    ...holdings.entries.flatMap((entry) => inEntry(entry)),
  ]
  const roles = connectionRoles(holdings)
  return strongest(
    all.map((mention) => ({...mention, role: roles.get(entryKey(mention.place)) ?? mention.role})),
  )
}

const STRENGTH: readonly Role[] = ['server', 'maker', 'administrator', 'client']

function entryKey({release, object, key}: ValueLocation): string {
  return `${release} ${object} ${key.split(' [')[0]}`
}

/** Returns each account once per place, with its strongest role. */
function strongest(mentions: readonly Mention[]): readonly Mention[] {
  const byPlace = Map.groupBy(
    mentions,
    ({realm, place}) => `${realm} ${place.release} ${place.object} ${place.key}`,
  )
  return [...byPlace.values()].flatMap((same) => {
    const best = STRENGTH.find((role) => same.some((each) => each.role === role))
    const users = Map.groupBy(
      same.filter(({role}) => role === best),
      ({user, host, passwords}) => JSON.stringify([user, host, passwords]),
    )
    return [...users.values()].map(([first]) => first!)
  })
}

/** The variables, or keys of a Secret, that together form an account. */
interface Pair {
  readonly realm: Realm
  readonly role: Role
  readonly password: string
  readonly user: readonly string[]
  readonly byDefault?: string
  readonly domain?: readonly string[]
  readonly host?: readonly string[]
}

const DATABASE_ROOT = {realm: 'database', role: 'server', user: [], byDefault: 'root'} as const
const IDENTITY = {realm: 'identity', host: ['OS_AUTH_URL']} as const
const BOOTSTRAP = {realm: 'identity', role: 'server', byDefault: 'admin', domain: []} as const

const PAIRS: readonly Pair[] = [
  {...DATABASE_ROOT, password: 'MYSQL_DBADMIN_PASSWORD', user: ['MYSQL_DBADMIN_USERNAME']},
  {...DATABASE_ROOT, password: 'MYSQL_ROOT_PASSWORD'},
  {...DATABASE_ROOT, password: 'MARIADB_ROOT_PASSWORD'},
  {...DATABASE_ROOT, password: 'DB_ROOT_PASSWORD'},
  {...DATABASE_ROOT, password: 'POSTGRES_PASSWORD', user: ['POSTGRES_USER'], byDefault: 'postgres'},
  {
    realm: 'database',
    role: 'administrator',
    password: 'DB_ADMIN_PASSWORD',
    user: ['DB_ADMIN_USER'],
    byDefault: 'root',
    host: ['DB_HOST'],
  },
  {
    realm: 'message bus',
    role: 'server',
    password: 'RABBITMQ_ADMIN_PASSWORD',
    user: ['RABBITMQ_ADMIN_USERNAME'],
    byDefault: 'rabbitmq',
  },
  {
    realm: 'message bus',
    role: 'server',
    password: 'RABBITMQ_DEFAULT_PASS',
    user: ['RABBITMQ_DEFAULT_USER'],
    byDefault: 'guest',
  },
  {
    realm: 'message bus',
    role: 'administrator',
    password: 'BUS_ADMIN_PASSWORD',
    user: ['BUS_ADMIN_USER'],
    host: ['BUS_HOST'],
  },
  {realm: 'message bus', role: 'maker', password: 'BUS_PASSWORD', user: ['BUS_USER'], host: ['BUS_HOST']},
  {...BOOTSTRAP, password: 'OS_BOOTSTRAP_PASSWORD', user: ['OS_BOOTSTRAP_USERNAME']},
  {
    ...BOOTSTRAP,
    password: 'OS_BOOTSTRAP_ADMIN_PASSWORD',
    user: ['OS_BOOTSTRAP_ADMIN_USERNAME', 'OS_BOOTSTRAP_USERNAME'],
  },
  {
    ...IDENTITY,
    role: 'maker',
    password: 'SERVICE_OS_PASSWORD',
    user: ['SERVICE_OS_USERNAME'],
    domain: ['SERVICE_OS_USER_DOMAIN_NAME', 'SERVICE_OS_DOMAIN_NAME'],
  },
  {
    ...IDENTITY,
    role: 'client',
    password: 'OS_PASSWORD',
    user: ['OS_USERNAME'],
    domain: ['OS_USER_DOMAIN_NAME'],
  },
]

function pairsIn({values}: NamedValues, isContainer: boolean): readonly Mention[] {
  const text = (names: readonly string[] | undefined) =>
    names?.map((name) => values.get(name)?.text).find((each) => each !== undefined && each !== '')
  return PAIRS.flatMap((pair) => {
    const entry = values.get(pair.password)
    const user = text(pair.user) ?? pair.byDefault
    if (entry === undefined || user === undefined) return []
    const role = pair.password === 'OS_PASSWORD' && isContainer ? loginRole(values) : pair.role
    const {realm} = pair
    return mention({realm, role, user, domain: text(pair.domain), host: hostOf(text(pair.host))}, entry)
  })
}

/**
 * Returns the role of a container that logs in to keystone: administrator if it creates other users, server
 * if it creates its own account (bootstrap), else client.
 */
function loginRole(values: NamedValues['values']): Role {
  const names = [...values.keys()]
  if (names.some((name) => name.startsWith('OS_BOOTSTRAP_')))
    return names.some((name) => /^OS_BOOTSTRAP_(?:ADMIN_)?PASSWORD$/.test(name)) ? 'client' : 'server'
  const makes = names.some((name) => name.startsWith('SERVICE_OS_') || name === 'REGISTRATION')
  return makes ? 'administrator' : 'client'
}

/**
 * Returns the accounts that the Jobs of kk's own charts create, each with the variable that contains its
 * password.
 */
function makersIn({values}: NamedValues): readonly Mention[] {
  const mentionsOf = (name: string, user: string) => {
    const list =
      name === 'REGISTRATION' ? jsonAt(values.get(name)?.text, 'users') : jsonAt(values.get(name)?.text)
    return maps(list).map((each) => ({
      each,
      user: textsOf(each)[user],
      entry: values.get(textsOf(each).password ?? ''),
    }))
  }
  return [
    ...mentionsOf('DATABASES', 'user').flatMap(({user, entry}) =>
      mention({realm: 'database', role: 'maker', user, host: values.get('DB_HOST')?.text}, entry),
    ),
    ...mentionsOf('REGISTRATION', 'name').flatMap(({each, user, entry}) => {
      const host = hostOf(values.get('OS_AUTH_URL')?.text)
      return mention({realm: 'identity', role: 'maker', user, domain: textsOf(each).domain, host}, entry)
    }),
  ]
}

/** The options of INI files, by release and section. */
type Sections = ReadonlyMap<string, ReadonlyMap<string, string>>

function sectionsByRelease(entries: readonly Entry[]): Sections {
  const sections = new Map<string, Map<string, string>>()
  for (const {place, text} of entries)
    for (const {section, name, value} of optionsOf(text)) {
      const key = `${place.release} ${section.toLowerCase()}`
      const options = sections.get(key) ?? new Map<string, string>()
      if (!options.has(name)) options.set(name, value)
      sections.set(key, options)
    }
  return sections
}

const GROUP = /^OS_(.+)__(?:PASSWORD|MEMCACHE_SECRET_KEY)$/

/**
 * Returns the accounts of sections whose password oslo.config reads from the environment
 * (`OS_<GROUP>__PASSWORD`).
 */
function groupsIn({release, values}: NamedValues, sections: Sections): readonly Mention[] {
  const groups = new Set([...values.keys()].flatMap((name) => GROUP.exec(name)?.[1] ?? []))
  return [...groups].flatMap((group) => {
    const prefix = `OS_${group}__`
    const variables = [...values].filter(([name]) => name.startsWith(prefix))
    const options = new Map([
      ...(sections.get(`${release} ${group.toLowerCase()}`) ?? []),
      ...variables.map(([name, {text}]) => [name.slice(prefix.length).toLowerCase(), text] as const),
    ])
    return inSection(group, options, (name) => values.get(prefix + name.toUpperCase())?.place)
  })
}

/**
 * Returns the roles of Secrets from the variables of Jobs: which account a Job creates, and with which it
 * logs in.
 */
function connectionRoles({containers}: ObjectValues): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>()
  for (const {values} of containers) {
    const role = (name: string, each: Role) => {
      const entry = values.get(name)
      if (entry) roles.set(entryKey(entry.place), each)
    }
    if (values.has('ROOT_DB_CONNECTION')) {
      role('DB_CONNECTION', 'maker')
      role('USER_DB_CONNECTION', 'maker')
      role('ROOT_DB_CONNECTION', 'administrator')
    }
    if (values.has('RABBITMQ_ADMIN_CONNECTION')) {
      role('RABBITMQ_USER_CONNECTION', 'maker')
      role('RABBITMQ_ADMIN_CONNECTION', 'administrator')
    }
  }
  return roles
}

/** Returns the accounts in URLs in the container spec itself; others are read as entries. */
function inLiteral({place, text}: Entry): readonly Mention[] {
  return place.key.startsWith('container ') || place.key.startsWith('init container ')
    ? inUrls(text, place)
    : []
}
