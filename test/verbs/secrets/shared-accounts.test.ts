import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {Helm} from '../../../src/helm/helm.ts'
import {openHelm} from '../../../src/helm/open.ts'
import {helmVersion} from '../../../src/helm/version.ts'
import {toolPath} from '../../support/tools.ts'
import {KK, OSH, preparedOf, type RenderedSecret, renderedSecrets, suppliedOf} from './environments.ts'

let helm: Helm
beforeAll(async () => {
  const path = await toolPath('helm4')
  helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
}, 600_000)

const SECTIONS = [
  'mariadb',
  'rabbitmq',
  'keystone',
  'placement',
  'glance',
  'nova',
  'neutron',
  'designate',
  'cinder',
  'ironic',
]

/** Which releases are of kk's own charts. */
const CASES = [
  {name: "with all in openstack-helm's dialect", mine: [], bus: 'rabbitmq'},
  {
    name: "with the database, the bus and keystone in kk's, their clients not",
    mine: ['mariadb', 'rabbitmq', 'keystone'],
    bus: 'openstack',
  },
  {
    name: "with keystone, glance and placement in kk's, the database and the bus not",
    mine: ['keystone', 'glance', 'placement'],
    bus: 'rabbitmq',
  },
]

describe.each(CASES)('an environment $name', ({mine, bus}) => {
  it('has one generated password, region and address for all users of a service', async () => {
    const charts = [...mine.map((name) => join(KK, name)), OSH, KK]
    const prepared = await preparedOf(Object.fromEntries(SECTIONS.map((name) => [name, {}])), {
      kk: {charts},
      facts: {region: 'north', controllers: 3},
    })

    const secrets = await renderedSecrets(await suppliedOf(prepared), helm)

    const accounts = accountsIn(secrets)
    for (const [account, passwords] of accounts) {
      expect([...passwords.keys()], account).toEqual([expect.stringMatching(/^[\w.-]{24}$/)])
    }
    const users = (account: string) => [...[...accounts.get(account)!.values()][0]!].sort()
    expect(users('database root')).toEqual(SECTIONS.filter((name) => name !== 'rabbitmq').toSorted())
    expect(users(`bus ${bus}`)).toEqual(expect.arrayContaining(['cinder', 'nova', 'rabbitmq']))
    expect(users('identity placement')).toEqual(['neutron', 'nova', 'placement'])
    expect(users('identity designate')).toEqual(['designate', 'neutron'])
    expect(users('identity ironic')).toEqual(['ironic', 'neutron', 'nova'])
    expect(users('identity glance')).toEqual(['glance', 'ironic'])
    expect(users('identity nova')).toEqual(['cinder', 'neutron', 'nova'])
    const texts = secrets.flatMap(({data}) => Object.entries(data))
    const regions = texts.filter(([key]) => key === 'OS_REGION_NAME').map(([, region]) => region)
    const hosts = texts.flatMap(([key, text]) =>
      key.endsWith('CONNECTION') ? (/@([\w-]+)\./.exec(text)?.[1] ?? []) : [],
    )
    const own = (name: string) => (mine.some((each) => each === name) ? `${name}-server` : name)
    expect(new Set(regions)).toEqual(new Set(['north']))
    expect(new Set(hosts)).toEqual(new Set([own('mariadb'), own('rabbitmq')]))
  })
})

it('cookies of the bus are generated in both dialects', async () => {
  for (const charts of [[OSH], [KK]]) {
    const prepared = await preparedOf({rabbitmq: {}}, {kk: {charts}})

    const secrets = await renderedSecrets(await suppliedOf(prepared), helm)

    const cookies = secrets.flatMap(
      ({data}) => data.erlang_cookie ?? data['oslo_messaging.erlang_cookie'] ?? [],
    )
    expect(cookies).toEqual([expect.stringMatching(/^[\w.-]{24}$/)])
  }
})

/** `identity nova` → password → the releases that are told it, as both dialects render accounts. */
function accountsIn(secrets: readonly RenderedSecret[]) {
  const accounts = new Map<string, Map<string, Set<string>>>()
  for (const {release, data} of secrets) {
    for (const {account, password} of Object.entries(data).flatMap((entry) => accountsOf(entry, data))) {
      const passwords = accounts.get(account) ?? new Map<string, Set<string>>()
      accounts.set(account, passwords)
      passwords.set(password, (passwords.get(password) ?? new Set()).add(release))
    }
  }
  return accounts
}

const URLS: readonly (readonly [RegExp, string])[] = [
  [/DB_CONNECTION$|DATABASE__CONNECTION$/, 'database'],
  [/RABBITMQ_CONNECTION$|TRANSPORT_URL$/, 'bus'],
]

function accountsOf(
  [key, text]: readonly [string, string],
  data: Readonly<Record<string, string>>,
): readonly {readonly account: string; readonly password: string}[] {
  const [, server] = URLS.find(([pattern]) => pattern.test(key)) ?? []
  const [, user, password] = /\/\/([^:@]+):([^@]+)@/.exec(text) ?? []
  if (server !== undefined) return [{account: `${server} ${user}`, password: password!}]
  const [, endpoint, named] = /^(oslo_db|identity)\.([\w-]+)\.password$/.exec(key) ?? []
  if (endpoint === 'oslo_db')
    return [{account: `database ${named === 'admin' ? 'root' : named}`, password: text}]
  if (endpoint === 'identity') return [{account: `identity ${named}`, password: text}]
  if (key === 'OS_PASSWORD') return [{account: `identity ${data.OS_USERNAME}`, password: text}]
  if (key === 'MYSQL_DBADMIN_PASSWORD') return [{account: 'database root', password: text}]
  if (key === 'RABBITMQ_ADMIN_PASSWORD')
    return [{account: `bus ${data.RABBITMQ_ADMIN_USERNAME}`, password: text}]
  if (key !== 'definitions.json') return []
  const {users} = JSON.parse(text) as {users: readonly {name: string; password: string}[]}
  return users.map(({name, password}) => ({account: `bus ${name}`, password}))
}
