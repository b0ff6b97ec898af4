import {chmod} from 'node:fs/promises'
import {join} from 'node:path'
import {afterEach, expect, it, vi} from 'vitest'
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
async function exporting(format: Format, more: Partial<ExportOptions> = {}, text = CLOUD) {
  const prepared = await prepare({
    environment: readEnvironment({file: '-', text, directory: ROOT}),
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
