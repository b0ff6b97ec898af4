import {X509Certificate} from 'node:crypto'
import {describe, expect, test} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {generateSecret} from '../../../src/overrides/generate-secret.ts'
import {mergedValues} from '../../../src/overrides/layers.ts'
import {makeAuthority} from '../../../src/overrides/tls/authority.ts'
import {ingressSettings} from '../../../src/overrides/tls/certificate-need.ts'
import {secretNeeds} from '../../../src/verbs/secrets/secret-needs.ts'
import {supplySecrets} from '../../../src/verbs/secrets/supply-secrets.ts'
import {id} from '../../graph/graph-of.ts'
import {preparedOf} from '../../verbs/secrets/environments.ts'

interface Tls {
  readonly files?: Readonly<Record<string, string>>
}

/**
 * Returns the values of releases of an environment below `global.tls`, and the secrets that kk has to store.
 */
async function given(sections: Readonly<Record<string, object>>) {
  const prepared = await preparedOf(sections, {})
  const needs = await secretNeeds(prepared)
  const {
    final: settled,
    planned,
    missing,
  } = supplySecrets(prepared, {needs, cluster: new Map(), store: new Map()})
  const tlsOf = (release: string) => {
    const {layers} = settled.releases.get(id(release))!
    return ((mergedValues(layers).global as Values | undefined)?.tls ?? {}) as Tls
  }
  const settingOf = (release: string) =>
    ingressSettings(mergedValues(settled.releases.get(id(release))!.layers))
  const kept = missing.filter(({name}) => name === 'tls.authority')
  return {tlsOf, settingOf, kept, generated: planned.generated}
}

function namesIn({files}: Tls): readonly string[] {
  return new X509Certificate(files!['tls.crt']!)
    .subjectAltName!.split(', ')
    .map((each) => each.replace(/^DNS:/, ''))
}

const INTERNAL = {global: {tls: {internal: true}}}

test('each release gets a certificate of one authority, for the names of its Services and members', async () => {
  const {tlsOf, kept} = await given({...INTERNAL, keystone: {}, ovn: {}, tempest: {}})

  expect(new Set(kept.map(({value}) => value)).size).toBe(1)
  expect(tlsOf('keystone').files!['ca.crt']).toBe(tlsOf('ovn').files!['ca.crt'])
  expect(namesIn(tlsOf('keystone'))).toEqual([
    'keystone-api.openstack.svc.cluster.local',
    'keystone-api.openstack.svc',
    'keystone-api.openstack',
    'keystone-api',
    'servers.openstack.svc.cluster.local',
  ])
  expect(namesIn(tlsOf('ovn'))).toEqual(
    expect.arrayContaining([
      'ovn-nb.openstack.svc.cluster.local',
      '*.ovn-sb-peers.openstack.svc.cluster.local',
    ]),
  )
  expect(namesIn(tlsOf('tempest'))).toEqual(['tempest.openstack'])
  // kk itself signs: no release gets the key of the authority.
  expect(JSON.stringify([tlsOf('keystone'), tlsOf('ovn')])).not.toContain(
    JSON.parse(kept[0]!.value).keys[1].key.split('\n')[1],
  )
})

test('names and addresses that the environment states are in the certificate', async () => {
  const endpoints = {
    cluster_domain_suffix: 'k8s.example',
    identity: {
      hosts: {internal: 'login'},
      host_fqdn_override: {public: {host: 'keystone.example.org'}, admin: '192.0.2.7'},
    },
  }
  const {tlsOf} = await given({global: {tls: {public: true}, endpoints}, keystone: {}})

  expect(namesIn(tlsOf('keystone'))).toEqual(
    expect.arrayContaining([
      'keystone-api.openstack.svc.k8s.example',
      'login.openstack.svc.k8s.example',
      'keystone.example.org',
      'IP Address:192.0.2.7',
    ]),
  )
})

test('each part of a section that is several releases has the certificate of the section', async () => {
  const {tlsOf} = await given({
    ...INTERNAL,
    kk: {releases: {nova: {components: true}}},
    nova: {},
  })

  expect(tlsOf('nova-api').files).toEqual(tlsOf('nova-conductor').files)
  expect(namesIn(tlsOf('nova-api'))).toContain('nova-api.openstack.svc.cluster.local')
})

test.each([
  ['TLS is off', {}],
  ['there is nothing that speaks HTTP', {public: true}],
  ['the deployer has the files', {internal: true, files: {'ca.crt': 'a', 'tls.crt': 'b', 'tls.key': 'c'}}],
  ['the deployer has made the Secret', {internal: true, secret: 'wildcard'}],
  ['cert-manager makes it', {internal: true, issuer: {name: 'cloud', kind: 'ClusterIssuer'}}],
])('kk makes no certificate if %s', async (_, tls) => {
  const {tlsOf, kept} = await given({global: {tls}, mariadb: {}})

  expect(kept).toEqual([])
  expect(tlsOf('mariadb')).toEqual(tls)
})

test('kk makes no certificate if it may not generate secrets', async () => {
  const {kept} = await given({...INTERNAL, kk: {secrets: false}, keystone: {}})

  expect(kept).toEqual([])
})

test('an ingress controller has a certificate for all names below the domain, and for stated ones', async () => {
  const endpoints = {
    identity: {host_fqdn_override: {public: {host: 'login.example.com'}, internal: 'inside.example.com'}},
  }
  const global = {tls: {public: true}, ingress: {enabled: true, domain: 'cloud.example.org'}, endpoints}
  const {tlsOf} = await given({global, ingress: {}})

  expect(namesIn(tlsOf('ingress'))).toEqual(
    expect.arrayContaining(['*.cloud.example.org', 'login.example.com']),
  )
  expect(namesIn(tlsOf('ingress'))).not.toContain('inside.example.com')
})

describe('behind an ingress controller of the cluster', () => {
  const ingress = {enabled: true, class: 'nginx', domain: 'cloud.example.org'}
  const certificateOf = async (global: object, sections: Readonly<Record<string, object>> = {}) =>
    (await given({global, keystone: {}, ...sections})).settingOf('keystone').certificate

  test('the certificate of a release has its public names, and its Ingresses have this certificate', async () => {
    const {tlsOf, settingOf} = await given({global: {tls: {public: true}, ingress}, keystone: {}})

    expect(settingOf('keystone').certificate).toBe('release')
    expect(namesIn(tlsOf('keystone'))).toContain('keystone.cloud.example.org')
  })

  test('Ingresses have the certificate of their release with an issuer of cert-manager', async () => {
    const tls = {public: true, issuer: {name: 'cloud', kind: 'ClusterIssuer'}}

    expect(await certificateOf({tls, ingress})).toBe('release')
  })

  test.each<[string, object, Readonly<Record<string, object>>?]>([
    ['kk deploys its own controller, of any class', {tls: {public: true}, ingress}, {ingress: {}}],
    ['TLS is off', {ingress}],
    ['no Ingress is asked for', {tls: {public: true}, ingress: {...ingress, enabled: false}}],
    ['the environment states it', {tls: {public: true}, ingress: {...ingress, certificate: 'shared'}}],
  ])('Ingresses keep the shared certificate if %s', async (_, global, sections) => {
    expect(await certificateOf(global, sections)).not.toBe('release')
  })
})

const SERVERS = ['tls.server.keystone', 'tls.server.mariadb']

/** The digest of each release with these stored secrets, and others in use. */
async function digestsWith(
  kept: Readonly<Record<string, string>>,
  inUse: Readonly<Record<string, string>> = {},
) {
  const prepared = await preparedOf({...INTERNAL, keystone: {}, mariadb: {}}, {})
  const known = (secrets: Readonly<Record<string, string>>) =>
    new Map([
      [
        'openstack',
        new Map(
          Object.entries(secrets).map(([name, value]) => [name, {value, kind: undefined, since: undefined}]),
        ),
      ],
    ])
  const needs = await secretNeeds(prepared)
  const sources = {needs, cluster: known(kept), store: new Map(), inUse: known(inUse)}
  const {planned, missing} = supplySecrets(prepared, sources)
  const digestOf = (release: string) => JSON.stringify(planned.releases.get(id(release))!.desired.layers)
  const servers = missing.filter(({name}) => SERVERS.includes(name))
  return {keystone: digestOf('keystone'), mariadb: digestOf('mariadb'), servers}
}

const keysOf = () => Object.fromEntries(SERVERS.map((name) => [name, generateSecret('server')]))

test('with the stored secrets a deploy changes no release; after a rotation of the authority, every release', async () => {
  const authority = makeAuthority()
  const keys = keysOf()

  const before = await digestsWith({...keys, 'tls.authority': authority})
  const again = await digestsWith({...keys, 'tls.authority': authority})
  const rotated = await digestsWith({...keys, 'tls.authority': makeAuthority(authority)})

  expect(again).toEqual(before)
  expect(rotated.keystone).not.toBe(before.keystone)
  expect(rotated.mariadb).not.toBe(before.mariadb)
})

test('only the key of one server is renewed', async () => {
  const kept = {...keysOf(), 'tls.authority': makeAuthority()}

  const before = await digestsWith(kept)
  const after = await digestsWith({...kept, 'tls.server.keystone': generateSecret('server')})

  expect(after.keystone).not.toBe(before.keystone)
  expect(after.mariadb).toBe(before.mariadb)
})

test('a running cloud keeps its keys, whose certificates are unchanged', async () => {
  const authority = {'tls.authority': makeAuthority()}
  const keys = keysOf()

  const kept = await digestsWith({...authority, ...keys})
  const running = await digestsWith(authority, keys)

  expect({keystone: running.keystone, mariadb: running.mariadb}).toEqual({
    keystone: kept.keystone,
    mariadb: kept.mariadb,
  })
  expect(running.servers.map(({name, value}) => [name, value]).sort()).toEqual(Object.entries(keys))
})

test('a key that does not exist yet has the same digest in each plan', async () => {
  const authority = {'tls.authority': makeAuthority()}

  const [{keystone}, again] = [await digestsWith(authority), await digestsWith(authority)]

  expect(again.keystone).toBe(keystone)
})
