import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import type {Layer} from '../../src/overrides/layer.ts'
import {usesOf} from '../../src/plan/uses/uses.ts'
import type {PreparedRelease} from '../../src/prepare/prepare.ts'
import {settingNotes, tlsNotes} from '../../src/prepare/setting-notes.ts'
import type {ReleaseId} from '../../src/release.ts'
import {graphOf, id} from '../graph/graph-of.ts'
import {testDirectory} from '../support/test-directory.ts'

let library: string
beforeAll(async () => {
  library = testDirectory()
  await mkdir(join(library, 'templates/context'), {recursive: true})
  await writeFile(
    join(library, 'templates/context/_catalogue.tpl'),
    'oslo_db: {hosts: {default: mariadb}}\nidentity: {hosts: {default: keystone}}\n',
  )
})

const layer = (name: Layer['name'], values: Values, source = `the ${name}`): Layer => ({name, values, source})

interface Setting {
  /** The layers of each release, in a graph where each requires those before it. */
  readonly releases: Readonly<Record<string, readonly Layer[]>>
  readonly features?: readonly string[]
  readonly stated?: readonly string[]
}

function prepared({releases, features = [], stated = []}: Setting) {
  const names = Object.keys(releases)
  const values: Values = {components: {api: {image: 'keystone-api'}}, jobs: {'db-sync': {}}}
  const dialectChart = () => ({dialect: 'kk', at: (key: string) => values[key], endpoints: {}})
  const graph = graphOf(Object.fromEntries(names.map((name, at) => [name, names.slice(0, at)])))
  return {
    environment: {features},
    graph,
    releases: new Map(
      names.map((name) => [
        id(name),
        {
          chart: {name, libraries: [{name: 'common', directory: library, libraries: []}]},
          layers: releases[name],
          desired: {stated: stated.includes(name)},
        },
      ]),
    ),
    plugins: {dialectChart},
  } as unknown as Parameters<typeof settingNotes>[0]
}

describe('settings without the apparent effect', () => {
  it.each<[string, Values, string]>([
    [
      'an endpoint',
      {global: {endpoints: {idenity: {}}}},
      'endpoints.idenity, so it has no effect: did you mean identity?',
    ],
    [
      'a tag of an image',
      {images: {tags: {keystone_apii: 'r/k:1'}}},
      'images.tags.keystone_apii, so it has no effect: did you mean keystone_api?',
    ],
  ])('a typo in the name of %s is noted once', (_, values, text) => {
    const shared = layer('global', values)

    expect(settingNotes(prepared({releases: {keystone: [shared], glance: [shared]}}))).toEqual([
      `the global: no chart of this environment has ${text}`,
    ])
  })

  it.each<Values>([
    {endpoints: {identity: {}, oslo_db_cell0: {}, something_else: {}}},
    {images: {tags: {keystone: 'r/k:1', 'keystone-db-sync': 'r/k:1', dep_check: 'r/d:1'}}},
  ])('a name that a chart has, or another chart may have, is not noted: %j', (values) => {
    expect(settingNotes(prepared({releases: {keystone: [layer('section', values)]}}))).toEqual([])
  })

  it('two features that set the same image are noted unless the chart has a file for both', () => {
    const tag = (name: string) => layer('features', {global: {images: {tag: name}}}, `overrides/${name}.yaml`)
    const [one, other] = [tag('ubuntu'), tag('2026.1')]
    const both = layer('features', {}, 'overrides/2026.1-ubuntu.yaml')
    const features = ['2026.1', 'ubuntu']

    expect(
      settingNotes(prepared({features, releases: {keystone: [one, other], glance: [one, other]}})),
    ).toEqual([
      'kk.features: ubuntu and 2026.1 both set images.tag of keystone, glance: 2026.1 takes effect, because it is named first',
    ])
    expect(settingNotes(prepared({features, releases: {keystone: [one, other, both]}}))).toEqual([])
  })

  it('a feature that sets the registry of some releases is noted with the releases that it skips', () => {
    const kolla = layer('features', {images: {registry: 'quay.io'}}, 'overrides/kolla.yaml')
    const tagged = layer('features', {images: {tag: '2026.1'}}, 'overrides/2026.1.yaml')
    const features = ['2026.1', 'kolla']
    const notes = settingNotes(
      prepared({features, releases: {keystone: [tagged, kolla], nova: [tagged], ovn: []}}),
    )

    expect(notes).toEqual([
      'kk.features: kolla sets the registry of images, but has no file for nova, ovn: they keep the registry of their other values',
    ])
    expect(settingNotes(prepared({features, releases: {keystone: [tagged, kolla]}}))).toEqual([])
  })

  it.each([
    ['db.example.org', [], 1],
    ['10.0.0.9', [], 1],
    ['mariadb-server.openstack.svc.cluster.local', [], 0],
    ['mariadb', [], 0],
    ['db.example.org', ['mariadb'], 0],
  ])('a database at %s with the sections %j gives %i notes on an added mariadb', (host, stated, count) => {
    const endpoints = {oslo_db: {host_fqdn_override: {default: {host}}}}
    const global = layer('global', {global: {endpoints}})
    const notes = settingNotes(prepared({stated, releases: {mariadb: [global], keystone: [global]}}))

    expect(notes).toHaveLength(count)
    if (count > 0)
      expect(notes[0]).toBe(
        `mariadb is added, although endpoints.oslo_db names ${host}: to omit it, kk.releases: {keystone: {without: [mariadb]}}`,
      )
  })
})

describe('tls.internal', () => {
  const on = layer('global', {global: {tls: {internal: true}}})
  const graph = graphOf({mariadb: [], keystone: ['mariadb'], foreign: ['mariadb']})
  const uses = usesOf({revisions: [], wanted: graph})
  const notes = (before: Values, layers: Readonly<Record<string, readonly Layer[]>>) => {
    const releases = new Map(
      Object.entries(layers).map(([name, own]) => [id(name), {layers: own} as unknown as PreparedRelease]),
    )
    const last = {values: before} as unknown as StoredRelease
    const previous = new Map<ReleaseId, readonly StoredRelease[]>([
      [id('mariadb'), [last]],
      [id('keystone'), [last]],
    ])
    return tlsNotes({releases, previous, uses})
  }

  it('names the clients that break when it is enabled for running releases', () => {
    expect(notes({}, {mariadb: [on], keystone: [on], foreign: []})).toEqual([
      'tls.internal is switched on for running releases: after its upgrade, each of mariadb, keystone refuses clients that are not upgraded yet',
      `clients of these that this plan gives no TLS, and that break: ${id('foreign')}`,
    ])
  })

  it.each([
    ['was on', {global: {tls: {internal: true}}}, {mariadb: [on], keystone: [on]}],
    ['stays off', {}, {mariadb: [], keystone: []}],
  ])('has no note if it %s', (_, before, layers) => {
    expect(notes(before, layers)).toEqual([])
  })
})
