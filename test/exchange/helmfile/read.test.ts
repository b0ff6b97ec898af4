import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import {environmentText} from '../../../src/report/import/environment-text.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {helmfileOf, importText} from './support/imported.ts'

const HELMFILE = `
repositories:
  - {name: shop, url: https://charts.example.org}
  - {name: registry, url: registry.example.org/charts, oci: true}
helmDefaults: {timeout: 300, wait: true}
releases:
  - name: db
    namespace: data
    chart: shop/mariadb
    version: 1.2.3
    values: [values/db.yaml, {size: 3}]
    set: [{name: list, value: "a,b"}, {name: "on", value: true}]
  - name: web
    namespace: front
    chart: registry/web
    needs: [data/db, cache, other/data/db]
    hooks: [{events: [presync]}]
    values: [web.yaml.gotmpl, gone.yaml]
  - {name: cache, namespace: front, chart: ./charts/cache, timeout: 60}
  - {name: old, namespace: front, chart: shop/old, installed: false}
  - {name: lost, namespace: front, chart: unknown/lost}
  - {name: cache, namespace: other, chart: ./charts/cache}
environments: {default: {}}
`

let directory: string

beforeAll(async () => {
  directory = testDirectory()
  await import('node:fs/promises').then(({mkdir}) => mkdir(join(directory, 'values')))
  await writeFile(join(directory, 'values/db.yaml'), 'size: 1\nuser: kk\n')
})

function imported(text = HELMFILE, isBuilt = false) {
  return importText({text, directory, isBuilt})
}

function importedOne(release: object, file: object = {}, isBuilt = true) {
  return imported(helmfileOf(release, file), isBuilt)
}

it('imports a helmfile as an environment that kk reads, with explicit requirements', () => {
  const text = environmentText(imported())

  const {charts, releases, sections} = readEnvironment({file: 'shop.yaml', text, directory})

  expect(charts).toEqual([
    {kind: 'repository', url: 'https://charts.example.org'},
    {kind: 'oci', url: 'oci://registry.example.org/charts'},
    {kind: 'directory', path: join(directory, 'charts')},
  ])
  expect(Object.fromEntries(sections)).toEqual({
    db: {size: 3, user: 'kk', list: 'a,b', on: true},
    web: {},
    cache: {},
    lost: {},
  })
  expect(releases.get('db')).toMatchObject({chart: 'mariadb', version: '1.2.3', namespace: 'data'})
  expect(releases.get('web')!.requires.map(({namespace, release}) => [namespace, release])).toEqual([
    ['data', 'db'],
    [undefined, 'cache'],
  ])
  expect(releases.get('cache')).toMatchObject({timeoutSeconds: 60})
  expect(releases.get('web')).toMatchObject({timeoutSeconds: 300})
})

it('imports the output of helmfile 1.8: helmfile build --embed-values', async () => {
  const text = await readFile(join(import.meta.dirname, '../../fixtures/helmfile/built.yaml'), 'utf8')

  const made = imported(text, true)

  const {releases, sections} = readEnvironment({file: 'shop.yaml', text: environmentText(made), directory})
  expect(Object.fromEntries(sections)).toEqual({
    extra: {},
    db: {size: 3, user: 'kk', list: 'a,b', on: true, port: '3306'},
    web: {name: 'web', replicas: 3},
    cache: {},
  })
  expect(releases.get('web')!.requires.map(({namespace, release}) => [namespace, release])).toEqual([
    ['data', 'db'],
    [undefined, 'cache'],
  ])
  expect(releases.get('cache')).toMatchObject({chart: 'web', timeoutSeconds: 60})
  expect(made.lost).toEqual([
    'hooks of web: an environment cannot express it',
    'labels of web: an environment cannot express it',
    'labels of cache: an environment cannot express it',
  ])
})

it('lists what is lost', () => {
  expect(imported().lost).toEqual([
    'front/old is skipped: installed is false',
    'the values file web.yaml.gotmpl of web: it is a template',
    'the values file gone.yaml of web: it does not exist',
    'hooks of web: an environment cannot express it',
    'the source of the chart unknown/lost of lost',
    'the context of other/data/db, which web needs: an environment belongs to one cluster',
    expect.stringMatching(/^other\/cache is skipped: front\/cache has the same name/),
    'environments: import it with helmfile on the PATH, or move its content by hand',
  ])
})

it('merges set and setString, including lists of values', () => {
  const {releases, lost} = importedOne({
    set: [
      {name: 'a.b', value: 1},
      {name: 'list', values: ['x', 'y,z']},
      {name: 'cert', file: 'cert.pem'},
    ],
    setString: [{name: 'port', value: '080'}],
  })

  expect(releases[0]!.values).toEqual({a: {b: 1}, list: ['x', 'y,z'], port: '080'})
  expect(lost).toEqual(['cert of web, which is set from the file cert.pem'])
})

it.each([
  ['set', '1.10', '1.10'],
  ['set', '010', '010'],
  ['set', '5', 5],
  ['set', 'true', true],
  ['set', 'yes', 'yes'],
  ['set', '&anchor 1.0', '1.0'],
  ['setString', '1.10', '1.10'],
  ['setString', '5', '5'],
])('passes to %s the literal scalar, as helmfile does: %s', (key, written, value) => {
  const items = `[{name: a, value: ${written}}, {name: b, values: [${written}]}]`
  const text = `releases:\n- name: web\n  chart: ./charts/web\n  ${key}: ${items}\n`

  expect(imported(text).releases[0]!.values).toEqual({a: value, b: [value]})
})

it.each([
  ['the namespace of the file for all', {}, {namespace: 'all'}, {namespace: 'all'}],
  ['no timeout where that is helm’s own', {}, {helmDefaults: {timeout: 0}}, {}],
  ['its own timeout', {timeout: 60}, {helmDefaults: {timeout: 300}}, {timeout: '60s'}],
])('imports %s', (_, release, file, expected) => {
  const {
    name: _name,
    chart: _chart,
    values: _values,
    requires: _requires,
    notes: _notes,
    ...rest
  } = importedOne(release, file).releases[0]!

  expect(rest).toEqual({namespace: 'front', ...expected})
})

it.each([
  [{enabled: true}, ['web'], []],
  [{enabled: false}, [], ['front/web is skipped: web.enabled is not true']],
  [{}, [], ['front/web is skipped: web.enabled is not true']],
])('evaluates a condition if helmfile prints its values: %j', (web, names, lost) => {
  const found = importedOne({condition: 'web.enabled'}, {renderedvalues: {web}})

  expect(found.releases.map(({name}) => name)).toEqual(names)
  expect(found.lost).toEqual(lost)
})

it('drops requirements on skipped releases', () => {
  const off = {name: 'db', namespace: 'data', chart: 'x/db', installed: false}
  const {releases, lost} = importedOne(
    {needs: ['data/db']},
    {releases: [{name: 'web', namespace: 'front', chart: './charts/web', needs: ['data/db']}, off]},
  )

  expect(releases.map(({requires}) => requires)).toEqual([[]])
  expect(lost).toEqual([
    'data/db is skipped: installed is false',
    'the need of web for data/db, which is skipped',
  ])
})

it.each([
  ['a.b', 'the need of web for a.b, which is skipped'],
  ['front/shared', 'the need of web for front/shared, which is skipped'],
  ['gone', 'the need of web for gone, which the helmfile does not have'],
  ['x/Y', 'the need of web for x/Y, which the helmfile does not have'],
])('drops the need for %s, which the environment does not have', (need, said) => {
  const text = JSON.stringify({
    releases: [
      {name: 'shared', namespace: 'data', chart: './charts/db'},
      {name: 'shared', namespace: 'front', chart: './charts/db'},
      {name: 'a.b', namespace: 'front', chart: './charts/db'},
      {name: 'web', namespace: 'front', chart: './charts/web', needs: [need, 'data/shared']},
    ],
  })

  const made = imported(text)

  const {releases} = readEnvironment({file: 'shop.yaml', text: environmentText(made), directory})
  expect([...releases.keys()]).toEqual(['shared', 'web'])
  expect(releases.get('web')!.requires).toMatchObject([{release: 'shared', namespace: 'data'}])
  expect(made.lost).toContain(said)
  expect(made.lost).toContainEqual(expect.stringMatching(/^front\/a\.b is skipped: /))
})

it('lists values files that are not maps, or not files', async () => {
  await writeFile(join(directory, 'values/list.yaml'), '- a\n')

  const {releases, lost} = importedOne({values: ['values', 'values/list.yaml', 'values/db.yaml', null]})

  expect(releases[0]!.values).toEqual({size: 1, user: 'kk'})
  expect(lost).toEqual([
    'the values file values of web: it does not exist',
    'the values file values/list.yaml of web: it is not a map',
  ])
})

it.each<[string, object, object, readonly string[]]>([
  [
    'every unread key of a release, including unknown ones',
    {
      apiVersions: ['v1'],
      kubeVersion: '1.30',
      postRenderer: 'patch.sh',
      postRendererArgs: ['-x'],
      force: true,
      labels: {tier: 'web'},
      verify: true,
      createNamespace: false,
      'of-tomorrow': 'yes',
    },
    {},
    [
      'apiVersions of web: kk discovers the API versions of the cluster',
      'kubeVersion of web: kk discovers the version of the cluster',
      'postRenderer of web: an environment cannot express it',
      'postRendererArgs of web: an environment cannot express it',
      'force of web: an environment cannot express it',
      'labels of web: an environment cannot express it',
      'verify of web: an environment cannot express it',
      'createNamespace of web: kk creates missing namespaces',
      'of-tomorrow of web: an environment cannot express it',
    ],
  ],
  [
    'every key of the file, its defaults and its repositories',
    {},
    {
      commonLabels: {team: 'a'},
      kubeVersion: '1.30',
      helmDefaults: {force: true, createNamespace: false, postRendererArgs: ['x'], wait: true, timeout: 5},
      repositories: [
        {name: 'shop', url: 'https://me:S3cret@charts.example.org', username: 'me', password: 'S3cret'},
      ],
    },
    [
      'commonLabels: an environment cannot express it',
      'kubeVersion: kk discovers the version of the cluster',
      'force of helmDefaults: an environment cannot express it',
      'createNamespace of helmDefaults: kk creates missing namespaces',
      'postRendererArgs of helmDefaults: an environment cannot express it',
      'username of the repository shop: an environment cannot express it',
      'password of the repository shop: an environment cannot express it',
      expect.stringMatching(/^the credentials in the URL of the repository shop: .*helm repo add/),
    ],
  ],
  [
    'nothing of what is off, and of what kk does anyway',
    {
      force: false,
      verify: false,
      labels: {},
      createNamespace: true,
      wait: true,
      waitForJobs: true,
      hooks: [],
    },
    {commonLabels: {}, helmDefaults: {createNamespace: true}},
    [],
  ],
])('lists %s', (_, release, file, lost) => {
  const made = importedOne(release, file)

  expect(made.lost).toEqual(lost)
  expect(environmentText(made)).not.toContain('S3cret')
})

it('treats empty settings as unset, as helmfile does', () => {
  const empty = {namespace: '', version: '', condition: ''}
  const file = {namespace: '', kubeContext: '', helmDefaults: {kubeContext: ''}, renderedvalues: {}}

  const made = importedOne(empty, file, false)

  expect(made.lost).toEqual([])
  expect(made.releases).toMatchObject([{namespace: 'default', chart: {name: 'web'}}])
  expect(made.releases[0]!.chart).not.toHaveProperty('version')
})

it.each([{}, {chart: ''}])('skips a release without a chart, and reports it: %j', (chart) => {
  const made = imported(JSON.stringify({releases: [{name: 'a', ...chart}]}))

  expect(made.releases).toEqual([])
  expect(made.lost).toEqual(['a is skipped: it has no chart: set chart in the helmfile'])
})

it.each([
  [true, ['wait of web', 'waitForJobs of web']],
  // There helmfile prints those of the defaults, whether they are stated or not.
  [false, ['wait of web', 'waitForJobs of web', 'wait of helmDefaults', 'waitForJobs of helmDefaults']],
])('reports that kk waits although it should not, built by helmfile: %s', (isBuilt, keys) => {
  const switches = {wait: false, waitForJobs: false}

  const {lost} = importedOne(switches, {helmDefaults: switches}, isBuilt)

  expect(lost.map((each) => each.replace(/: kk waits until .*/, ''))).toEqual(keys)
})

it('does not list what helmfile has evaluated, nor the default context', () => {
  const file = {environments: {default: {}}, templates: {}, kubeContext: 'production'}

  expect(importedOne({inherit: [{template: 'x'}]}, file).lost).toEqual([
    'the context production: write kk.context: production if the environment belongs to this context only',
  ])
})

it('resolves charts and values relative to each file that helmfile has built', () => {
  const text = [
    `---\n#  Source: ${join(directory, 'helmfile.yaml')}\n\nreleases: []\n`,
    `---\n#  Source: ${join(directory, 'sub/helmfile.yaml')}\n\nreleases: [{name: web, chart: ../charts/web}, {name: own, chart: ./own}]\n`,
  ].join('')

  expect(imported(text, true).charts).toEqual(['./charts', './sub'])
})

it('rejects a file without any key of helmfile, such as an environment', () => {
  expect(() => imported('kk: {name: cloud}\nkeystone: {}\n')).toThrow(
    expect.objectContaining({code: 'KK_IMPORT', message: expect.stringContaining('is not a helmfile')}),
  )
})

it('distinguishes two releases with the same name and namespace by cluster', () => {
  const release = {name: 'common', namespace: 'first', chart: 'r/common'}
  const file = {
    repositories: [{name: 'r', url: 'https://charts.example.org'}],
    releases: [release, {...release, kubeContext: 'east'}],
  }

  const {lost} = imported(JSON.stringify(file))

  expect(lost).toEqual([
    'first/common is skipped: an earlier release has that name and namespace: if it is for another cluster, it needs a separate environment',
  ])
})
