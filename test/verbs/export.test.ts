import {createHash} from 'node:crypto'
import {chmod} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, describe, expect, it, vi} from 'vitest'
import type {Environment} from '../../src/environment/environment.ts'
import {loadDocument, loadEnvironment} from '../../src/environment/load.ts'
import {readEnvironment} from '../../src/environment/read.ts'
import type {Format} from '../../src/exchange/lost.ts'
import {prepare} from '../../src/prepare/prepare.ts'
import {type ExportOptions, exportEnvironment} from '../../src/verbs/export.ts'
import {secretNeeds} from '../../src/verbs/secrets/secret-needs.ts'
import {supplySecrets} from '../../src/verbs/secrets/supply-secrets.ts'
import {writeFiles} from '../charts/support/write-files.ts'

const ROOT = join(import.meta.dirname, '../..')
const CLOUD = 'kk: {name: cloud, charts: [charts]}\nmemcached: {conf: {token: geheim, port: 11211}}\n'

/** Exports without helm: what is refused is refused before anything is rendered. */
async function exporting(
  format: Format,
  more: Partial<ExportOptions> = {},
  from: string | Environment = CLOUD,
) {
  const prepared = await prepare({
    environment: typeof from === 'string' ? readEnvironment({file: '-', text: from, directory: ROOT}) : from,
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
  })
  const needs = await secretNeeds(prepared)
  return exportEnvironment({
    format,
    prepared,
    supplied: supplySecrets(prepared, {needs, cluster: new Map(), store: new Map()}),
    rendering: {
      helm: async () => ({template: async () => ''}),
      cache: writeFiles({}),
    },
    charts: undefined,
    separator: '-',
    unknownFacts: [],
    recipient: undefined,
    image: 'kk',
    ...more,
  })
}

it.each([
  [
    'flux',
    {},
    CLOUD,
    'flux takes charts from a registry or a repository, and these are in directories: memcached',
  ],
  ['argocd', {}, CLOUD, 'argocd takes charts from a registry'],
  ['armada', {recipient: 'age1x'}, CLOUD, '--sops-age: an export for armada has no place for secrets'],
  ['argo-workflows', {}, CLOUD, 'the steps of a workflow read only the environment file'],
  [
    'helm',
    {recipient: 'age1x'},
    'kk: {name: cloud, charts: [charts]}\nmariadb: {}\n',
    'neither the cluster nor the store keeps these secrets: oslo_db.admin.password',
  ],
] as const)('an export for %s with %j of %j is refused', async (format, more, text, message) => {
  await expect(exporting(format, more, text)).rejects.toThrow(
    expect.objectContaining({code: 'KK_USAGE', exit: 2, message: expect.stringContaining(message)}),
  )
})

it('an export lists secrets and contains none', async () => {
  const {files} = await exporting('helm')

  const texts = [...files].map(([path, {content}]) => [path, content.toString()] as const)
  expect(texts.filter(([, text]) => text.includes('geheim'))).toEqual([])
  expect(Object.fromEntries(texts)).toMatchObject({
    'values/memcached.yaml': 'conf:\n  port: 11211\n',
    'LOST.md': expect.stringContaining('- memcached: conf.token'),
    'deploy.sh': expect.stringContaining('--values "$secrets/memcached.yaml"'),
  })
})

describe('an export of an environment that includes files', () => {
  const files = {
    'one.yaml': 'kk: {include: [common.yaml], releases: {memcached: {values: [port.yaml]}}}\n',
    'common.yaml': `kk: {charts: [${ROOT}/charts]}\nmemcached: {conf: {threads: 4, port: 1}}\n`,
    'port.yaml': 'conf: {port: 11311}\n',
  }

  it('has the values of all of them', async () => {
    const file = join(writeFiles(files), 'one.yaml')

    const exported = await exporting('helm', {}, await loadEnvironment({file}))

    expect(exported.files.get('values/memcached.yaml')?.content).toBe('conf:\n  port: 11311\n  threads: 4\n')
  })

  it('for argo-workflows has the digest of all of them, and how they become one', async () => {
    const file = join(writeFiles(files), 'one.yaml')
    const {source} = await loadDocument({file})

    const exported = await exporting('argo-workflows', {}, await loadEnvironment({file}))

    const digest = createHash('sha256').update(source.text).digest('hex')
    expect(exported.files.get('workflow-template.yaml')?.content).toContain(digest)
    expect(exported.files.get('LOST.md')?.content).toContain(
      'kk values split one.yaml --merged | kubectl create secret generic kk-one --from-file=one.yaml=/dev/stdin --dry-run',
    )
  })
})

it('an export is reproducible, including charts', async () => {
  expect(await exporting('helmfile')).toEqual(await exporting('helmfile'))
})

afterEach(() => {
  vi.unstubAllEnvs()
})

it.each([
  ['was killed', '#!/bin/sh\nkill -KILL $$\n', 'sops could not encrypt for age1x (SIGKILL)'],
  ['fails', '#!/bin/sh\nexit 3\n', 'sops could not encrypt for age1x (exit code 3)'],
  ['is not there', undefined, '--sops-age: sops is not on the PATH'],
])('an export fails with a clear error if sops %s', async (_, sops, message) => {
  const directory = writeFiles(sops === undefined ? {} : {sops})
  if (sops !== undefined) await chmod(join(directory, 'sops'), 0o755)
  vi.stubEnv('PATH', directory)

  await expect(exporting('helm', {recipient: 'age1x'})).rejects.toMatchObject({code: 'KK_USAGE', message})
})
