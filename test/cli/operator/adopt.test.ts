import {join} from 'node:path'
import {afterEach, expect, it, vi} from 'vitest'
import {adopt} from '../../../src/cli/operator/adopt.ts'
import {writeFiles} from '../../charts/support/write-files.ts'
import {json, scriptedServer} from '../../kubernetes/support/api-server.ts'

const CHARTS = 'https://charts.example.org'

afterEach(() => vi.unstubAllEnvs())

/** The content of the ConfigMap that an adoption of one.yaml, among these files, writes. */
async function adopted(files: Readonly<Record<string, string>>): Promise<string | undefined> {
  const {url, asked} = await scriptedServer(({method, body}, response) =>
    json(response, method === 'GET' ? {metadata: {}, items: []} : JSON.parse(body)),
  )
  const directory = writeFiles({
    ...files,
    kubeconfig: JSON.stringify({
      'current-context': 'test',
      contexts: [{name: 'test', context: {cluster: 'test', user: 'test'}}],
      clusters: [{name: 'test', cluster: {server: url}}],
      users: [{name: 'test', user: {}}],
    }),
  })
  vi.stubEnv('XDG_STATE_HOME', directory)
  const flags = {kubeconfig: join(directory, 'kubeconfig'), secret: false}

  await adopt(flags as Parameters<typeof adopt>[0], [join(directory, 'one.yaml')], () => undefined)

  const written = asked.find(({method, path}) => method === 'PATCH' && path.endsWith('/configmaps/one'))
  return JSON.parse(written!.body).data['environment.yaml']
}

it('the operator gets an environment with all files that it includes, as one file', async () => {
  const file = await adopted({
    'one.yaml': 'kk: {include: [common.yaml], releases: {nova: {values: [nova.yaml]}}}\nnova: {a: 1}\n',
    'common.yaml': `kk: {charts: [{repository: ${CHARTS}}]}\nnova: {b: 2}\nglance: {}\n`,
    'nova.yaml': 'a: 3\nc: 3\n',
  })

  expect(file).toBe(
    `kk:\n  charts:\n    - repository: ${CHARTS}\n  releases:\n    nova: {}\nnova:\n  b: 2\n  a: 1\n  c: 3\nglance: {}\n`,
  )
})

it('the operator gets a file that includes none as it is', async () => {
  const text = '# two replicas\nnova: {a: 1}\n'

  expect(await adopted({'one.yaml': text})).toBe(text)
})

it('the operator gets no file that includes one with charts relative to it', async () => {
  const files = {
    'one.yaml': 'kk: {include: [common.yaml]}\n',
    'common.yaml': 'kk: {charts: [charts]}\nnova: {}\n',
  }

  await expect(adopted(files)).rejects.toMatchObject({
    code: 'KK_ENVIRONMENT',
    message: expect.stringContaining('contains paths relative to the file'),
  })
})
