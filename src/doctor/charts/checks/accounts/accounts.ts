import {dig, digMaps, digText} from '../../../../base/dig.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../../release.ts'
import type {ChartFault} from '../../chart-fault.ts'
import type {ExaminedRelease} from '../../examined-release.ts'
import type {Mention, Realm} from './mention.ts'
import {mentionsIn} from './mentions.ts'
import type {ValueLocation} from './places.ts'

type Examined = Pick<ExaminedRelease, 'release' | 'objects' | 'secondRender'>

/**
 * Returns the accounts of databases, message buses, caches and keystone whose server gets another password
 * than their clients. Faults name accounts and places, never values.
 */
export function accounts(releases: readonly Examined[]): readonly ChartFault[] {
  return examineAccounts(releases).faults
}

/**
 * Returns the faults of `accounts`, and the number of accounts that are compared: those in several places.
 */
export function examineAccounts(releases: readonly Examined[]): {
  readonly faults: readonly ChartFault[]
  readonly compared: number
} {
  const mentions = mentionsIn(releases)
  const random = randomPlaces(releases, mentions)
  const servers = serversAmong(releases, mentions)
  // A random password is a fault of another check; a cache key that each client generates for itself is no
  // fault.
  const compared = mentions.filter(({realm, place}) => realm !== 'cache' || !random.has(placeKey(place)))
  const scoped = compared.flatMap((mention) => {
    const server = servers.of(mention)
    return server === undefined ? [] : [{...mention, server}]
  })
  const byServer = [...Map.groupBy(scoped, ({realm, server}) => `${realm} ${server}`).values()]
  const grouped = byServer.map((same) => ({same, groups: groupAccounts(same)}))
  return {
    faults: grouped.flatMap(({same, groups}) => [
      ...groups.flatMap(differences),
      ...unknownAdministrators(same),
    ]),
    compared: grouped.flatMap(({groups}) => groups).filter(({length}) => length > 1).length,
  }
}

/**
 * A mention with its server: a release, or the name of a host that no release of the environment provides.
 */
interface Scoped extends Mention {
  readonly server: ReleaseId | `host ${string}`
}

/** Groups the mentions by user and, if the created keystone accounts are in several domains, by domain. */
function groupAccounts(mentions: readonly Scoped[]): readonly (readonly Scoped[])[] {
  const byUser = Map.groupBy(mentions, ({user}) => user)
  return [...byUser.values()].flatMap((same) => {
    const created = same.filter(({role}) => role === 'server' || role === 'maker')
    const domains = new Set(
      created.flatMap(({domain}) => (domain === undefined ? [] : [domain.toLowerCase()])),
    )
    if (domains.size < 2) return [same]
    return [...Map.groupBy(same, ({domain = ''}) => domain.toLowerCase()).values()]
  })
}

/** Returns one fault for each release whose values differ from the server's. */
function differences(same: readonly Scoped[]): readonly ChartFault[] {
  const reference = referenceOf(same)
  const different = same.filter((each) => !sharesValue(each, reference))
  return [...Map.groupBy(different, ({place}) => place.release).values()].map((own) => {
    const [first] = own
    const places = [...new Set(own.map(({place}) => placeText(place)))].join(', ')
    const expected = REFERENCE_TEXTS[reference.role](
      placeText(reference.place),
      releaseName(reference.place.release),
    )
    return {
      ...faultAt(first!, reference.place),
      level: reference.realm === 'cache' ? 'warning' : 'problem',
      what: `${accountText(reference)}: ${places} differs from ${expected}`,
      advice: adviceFor(first!, reference),
    }
  })
}

const REFERENCE_TEXTS: Readonly<Record<Mention['role'], (place: string, release: string) => string>> = {
  server: (place, release) => `the value of the server: ${place} of ${release}`,
  maker: (place, release) => `the value that creates it: ${place} of ${release}`,
  administrator: (place, release) => `${place} of ${release}`,
  client: (place, release) => `${place} of ${release}`,
}

/**
 * Returns the mention to compare with: that of the server, else of the Job that creates the account, else the
 * most frequent value.
 */
function referenceOf(same: readonly Scoped[]): Scoped {
  const strongest = (['server', 'maker'] as const).find((role) => same.some((each) => each.role === role))
  const candidates = strongest ? same.filter(({role}) => role === strongest) : same
  const agreeing = (one: Scoped) => candidates.filter((other) => sharesValue(one, other)).length
  return candidates.reduce((best, each) => (agreeing(each) > agreeing(best) ? each : best))
}

function sharesValue(one: Scoped, other: Scoped): boolean {
  return one.passwords.some((password) => other.passwords.includes(password))
}

/** Returns faults for administrators whose user name differs from that of the server. */
function unknownAdministrators(same: readonly Scoped[]): readonly ChartFault[] {
  const server = same.find(({role}) => role === 'server')
  if (!server) return []
  const createdUsers = new Set(
    same.filter(({role}) => role === 'server' || role === 'maker').map(({user}) => user),
  )
  const unknown = same.filter(({role, user}) => role === 'administrator' && !createdUsers.has(user))
  return [...Map.groupBy(unknown, ({user, place}) => `${place.release} ${user}`).values()].map(([first]) => ({
    ...faultAt(first!, server.place),
    level: 'problem',
    what: `${accountText(first!)}: ${placeText(first!.place)} logs in as its administrator, but the server has "${server.user}" (${placeText(server.place)} of ${releaseName(server.place.release)})`,
    advice: `set the same name in the sections of ${releaseName(first!.place.release)} and ${releaseName(server.place.release)}`,
  }))
}

function faultAt({place}: Mention, {release, object, file, key}: ValueLocation) {
  return {
    check: 'accounts',
    release: place.release,
    object: place.object,
    file: place.file,
    key: place.key,
    other: {release, object, file, key},
  } as const
}

const TITLES: Readonly<Record<Realm, string>> = {
  database: 'the database account',
  'message bus': 'the account of the message bus',
  cache: 'the key of the cache',
  identity: 'the account of keystone',
}

function accountText({realm, user, server}: Scoped): string {
  const at = server.startsWith('host ') ? server.slice(5) : releaseName(server as ReleaseId)
  return `${TITLES[realm]} "${user}" at ${at}`
}

function placeText({object, key}: ValueLocation): string {
  return `${key} of ${object}`
}

function adviceFor({place}: Mention, reference: Mention): string {
  const names = [...new Set([place.release, reference.place.release].map(releaseName))]
  return reference.realm === 'cache'
    ? `they cannot read each other's entries: set the same key for ${names.join(' and ')}`
    : `logins with it fail: set the same value in ${names.length > 1 ? `the sections of ${names.join(' and ')}` : `the section of ${names[0]}`}`
}

function placeKey({release, object, key}: ValueLocation): string {
  return `${release} ${object} ${key}`
}

/** Returns the places whose value differs between two renders. */
function randomPlaces(releases: readonly Examined[], mentions: readonly Mention[]): ReadonlySet<string> {
  const changed = releases.filter(({objects, secondRender}) => objects !== secondRender)
  const secondMentions = mentionsIn(changed.map(({release, secondRender: objects}) => ({release, objects})))
  const values = new Map(secondMentions.map(({place, passwords}) => [placeKey(place), passwords[0]]))
  return new Set(
    mentions
      .map(({place, passwords: [value]}) => ({place: placeKey(place), value}))
      .filter(({place, value}) => values.has(place) && values.get(place) !== value)
      .map(({place}) => place),
  )
}

interface Servers {
  of(mention: Mention): Scoped['server'] | undefined
}

/**
 * Returns a lookup of the server of a mention: the release that has the Service or Ingress of its host; for a
 * mention without a host, the only release that serves its realm.
 */
function serversAmong(releases: readonly Examined[], mentions: readonly Mention[]): Servers {
  const hosts = hostsOf(releases)
  const serving = mentions.filter(({role}) => role === 'server')
  const owners = Map.groupBy(serving, ({realm}) => realm)
  const onlyOf = (realm: Realm) => {
    const releases = new Set(owners.get(realm)?.map(({place}) => place.release))
    return releases.size === 1 ? [...releases][0] : undefined
  }
  return {
    of({realm, role, host, place: {release}}) {
      if (role === 'server') return release
      const only = onlyOf(realm)
      if (host === undefined) return only
      const name = host.replace(/:\d*$/, '').toLowerCase()
      const candidates = [name, ...serviceNames(name, releaseNamespace(release))]
      const server = candidates.flatMap((each) => hosts.get(each) ?? [])[0]
      // No release of the environment has the Service: the only server may use another name for it.
      return server ?? (only && isNamedAfter(name, only) ? only : `host ${name}`)
    },
  }
}

/**
 * Returns true if a host in the cluster starts with the name of a release: `keystone.openstack.svc` is the
 * Service of keystone-api.
 */
function isNamedAfter(host: string, release: ReleaseId): boolean {
  const isInCluster = !host.includes('.') || host.includes('.svc')
  return isInCluster && firstWord(host) === firstWord(releaseName(release))
}

function firstWord(name: string): string | undefined {
  return name.split(/[.-]/)[0]
}

/**
 * Returns the Services that a host can refer to, as `service.namespace`: the Service itself, or the Service
 * of a pod.
 */
function serviceNames(host: string, namespace: string): readonly string[] {
  const [before] = host.split('.svc')
  const labels = before!.split('.')
  if (host.includes('.svc')) return [labels.slice(-2).join('.')]
  if (labels.length === 1) return [`${host}.${namespace}`]
  return [before!, `${labels.at(-1)}.${namespace}`]
}

/** Returns the releases by `service.namespace` of their Services and by the hosts of their Ingresses. */
function hostsOf(releases: readonly Examined[]): ReadonlyMap<string, ReleaseId> {
  return new Map(
    releases.flatMap(({release, objects}) =>
      objects.flatMap(({object}): (readonly [string, ReleaseId])[] => {
        if (object.kind === 'Service')
          return [
            [`${object.metadata.name}.${object.metadata.namespace ?? releaseNamespace(release)}`, release],
          ]
        if (object.kind !== 'Ingress') return []
        return digMaps(dig(object, 'spec'), 'rules').flatMap((rule) => {
          const host = digText(rule, 'host')
          return host?.includes('.') ? [[host.toLowerCase(), release] as const] : []
        })
      }),
    ),
  )
}
