import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import {environmentText} from '../../../src/report/import/environment-text.ts'
import {importHelmfile} from '../../../src/verbs/import/import-helmfile.ts'

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
  directory = await mkdtemp(join(tmpdir(), 'kk-test-'))
  await import('node:fs/promises').then(({mkdir}) => mkdir(join(directory, 'values')))
  await writeFile(join(directory, 'values/db.yaml'), 'size: 1\nuser: kk\n')
})
afterAll(() => rm(directory, {recursive: true}))

function imported() {
  return importHelmfile({
    file: join(directory, 'helmfile.yaml'),
    text: HELMFILE,
    isBuilt: false,
    name: 'shop',
  })
}

it('becomes an environment that kk reads, with its needs stated', () => {
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
    ['data', 'db'],
  ])
  expect(releases.get('cache')).toMatchObject({timeoutSeconds: 60})
  expect(releases.get('web')).toMatchObject({timeoutSeconds: 300})
})

it('says what is lost', () => {
  expect(imported().lost).toEqual([
    'the values file web.yaml.gotmpl of web: it is a template',
    'the values file gone.yaml of web: it is not there',
    'the context of other/data/db, which web needs: an environment is of one cluster',
    'hooks of web: an environment has no place for it',
    'old is left out: installed is false',
    'where the chart unknown/lost of lost comes from',
    expect.stringMatching(/^other\/cache is left out: front\/cache has the same name/),
    'environments: read it with helmfile on the PATH, or move what it says by hand',
  ])
})
