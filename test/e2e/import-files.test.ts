import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readYaml} from '../../src/yaml/yaml.ts'
import {emptyCorner} from './support/corner.ts'
import {CHARTS, makeEnvironment, workloads} from './support/environment.ts'
import {plainHelm} from './support/plain-helm.ts'

interface Written {
  readonly kk: {
    readonly releases: Readonly<Record<string, {readonly requires?: readonly string[]}>>
  }
  readonly [section: string]: unknown
}

const CONTENT = workloads({
  db: {values: {conf: {enabled: 'yes', at: '1:30'}, nodeSelector: null}},
  api: {requires: ['db'], values: {replicas: 2}},
})

it.each(['flux', 'argocd', 'helmfile', 'armada'])(
  'an export for %s is imported with the same releases, values and order',
  async (format) => {
    const environment = await makeEnvironment({content: CONTENT})
    const out = join(environment.directory, 'out')
    const published = ['flux', 'argocd'].includes(format) ? ['--charts', 'oci://registry.example.org/kk'] : []
    const path = {helmfile: join(out, 'helmfile.yaml'), armada: join(out, 'armada.yaml')}[format] ?? out
    const plain = format === 'armada' ? ['--plain-names'] : []

    const exported = await environment.kk('export', '--format', format, '--output-dir', out, ...published)
    const corner = await emptyCorner('import')
    const imported = await corner.kk(['import', path, '--format', format, ...plain])

    expect(exported.exitCode, exported.stderr).toBe(0)
    expect(imported.exitCode, imported.stderr).toBe(0)
    const {kk, ...sections} = readYaml(imported.stdout) as Written
    expect(sections).toEqual({db: CONTENT.db, api: CONTENT.api})
    expect(kk).toMatchObject({namespace: environment.name, releases: {api: {requires: ['db']}}})
  },
)

it('an edited file is never overwritten by an import', async () => {
  const corner = await emptyCorner('import')
  await corner.write('helmfile.yaml', JSON.stringify({releases: [{name: 'db', chart: 'charts/db'}]}))
  const words = ['import', 'helmfile.yaml', '--file', 'cloud.yaml']

  const twice = [await corner.kk(words), await corner.kk(words)]
  await corner.write('cloud.yaml', 'edited: {}\n')
  const edited = await corner.kk(words)

  expect(twice.map(({exitCode}) => exitCode)).toEqual([0, 0])
  expect(edited.exitCode).toBe(2)
  expect(edited.stderr).toContain('cloud.yaml already exists with other content; nothing was written')
  expect(await readFile(join(corner.directory, 'cloud.yaml'), 'utf8')).toBe('edited: {}\n')
})

it('an import as a document contains the content, or the name of its file', async () => {
  const corner = await emptyCorner('import')
  const releases = [{name: 'db', namespace: corner.name, chart: 'charts/db', needs: []}]
  await corner.write('helmfile.yaml', JSON.stringify({releases}))
  const words = ['import', 'helmfile.yaml', '--output', 'json', '--file', 'cloud.yaml']

  const dry = await corner.kk([...words, '--dry-run'])
  const left = await readdir(corner.directory)
  const written = await corner.kk(words)

  const told = {
    environment: 'imported',
    releases: [{release: `${corner.name}/db`, chart: 'db', requires: []}],
  }
  const {text, ...rest} = JSON.parse(dry.stdout)
  expect(rest).toMatchObject({...told, dryRun: true})
  expect(left).not.toContain('cloud.yaml')
  expect(JSON.parse(written.stdout)).toMatchObject({...told, dryRun: false, file: 'cloud.yaml'})
  expect(await readFile(join(corner.directory, 'cloud.yaml'), 'utf8')).toBe(text)
})

it("overrides that kk writes for Armada are merged over kk's manifest, and deployed", async () => {
  const corner = await emptyCorner('armada')
  const env = {
    KK_STORE: join(corner.directory, 'store.sqlite'),
    KK_STORE_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const kk = async (...words: readonly string[]) => {
    const {exitCode, stderr} = await corner.kk(words, words[0] === 'overrides' ? {env} : {})
    expect(exitCode, stderr).toBe(0)
  }
  await corner.write(
    'env.yaml',
    `kk: {name: NAME, namespace: NAME, charts: [${CHARTS}]}\nmemcached: {conf: {memcached: {memory-limit: 64}}}\n`,
  )
  const place = ['memcached', corner.name]

  await kk('export', 'env.yaml', '--format', 'armada', '--output-dir', 'out')
  await kk('overrides', 'update', ...place, '-e', 'env.yaml', '--set', 'pod.replicas.server=2')
  await kk('overrides', 'show', ...place, '-e', 'env.yaml', '--format', 'armada', '--file', 'overrides.yaml')
  await kk(
    ...['import', 'out/armada.yaml', '--format', 'armada', '--values', 'overrides.yaml', '--plain-names'],
    ...['--name', corner.name, '--file', 'cloud.yaml'],
  )
  const {exitCode, stderr} = await corner.kk(['deploy', 'cloud.yaml'])

  expect(await readFile(join(corner.directory, 'overrides.yaml'), 'utf8')).toContain(
    'schema: armada/Chart/v1',
  )
  expect(exitCode, stderr).toBe(0)
  const {stdout} = await plainHelm([
    'get',
    'values',
    'memcached',
    '--namespace',
    corner.name,
    '--output',
    'json',
  ])
  expect(JSON.parse(stdout)).toMatchObject({
    conf: {memcached: {'memory-limit': 64}},
    pod: {replicas: {server: 2}},
  })
})
