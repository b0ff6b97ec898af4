import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, inject, it} from 'vitest'
import {get} from './support/cluster.ts'
import {
  type EnvironmentContent,
  makeEnvironment,
  type TestEnvironment,
  workloads,
} from './support/environment.ts'
import {installedIn} from './support/installed.ts'

const PASSWORD = 'kept-out-of-git'

/**
 * Hooks that come after the rest, releases that need each other, a secret, and a null that takes a default
 * away.
 */
function content(): EnvironmentContent {
  const hook = {pod: {}, hook: 'post-install,post-upgrade'}
  return workloads({
    db: {values: {auth: {password: PASSWORD}, nodeSelector: null}},
    api: {requires: ['db'], values: {job: hook, conf: {enabled: 'yes', at: '1:30'}}},
    ping: {requires: ['db', 'pong:applied']},
    pong: {requires: ['ping:applied']},
  })
}

it('the script of an export installs the same releases with helm alone as kk deploys', async () => {
  const byKk = await makeEnvironment({content: content()})
  const byHelm = await makeEnvironment({content: content()})

  const deployed = byKk.deploy()
  const {lost, files} = await exported(byHelm)
  const {exitCode, stderr} = await execa(join(byHelm.directory, 'out/deploy.sh'), {
    env: {HELM: join(inject('run').toolbox, 'helm4'), KUBECONFIG: inject('run').kubeconfig},
    reject: false,
  })
  expect(exitCode, stderr).toBe(0)
  await deployed

  expect(lost.map(({of}) => of)).toContainEqual(['api'])
  for (const file of files)
    expect(await readFile(join(byHelm.directory, 'out', file), 'utf8'), file).not.toContain(PASSWORD)
  expect(await installedIn(byHelm.name)).toEqual(await installedIn(byKk.name))
  const {items} = await get<{items: {metadata: {labels: object}}[]}>(
    ...['secrets', '--namespace', byHelm.name, '--selector', 'owner=helm,name=db'],
  )
  expect(
    items.map(({metadata}) => Object.keys(metadata.labels).filter((key) => key.includes('kk.'))),
  ).toEqual([[]])
})

interface ExportDocument {
  readonly lost: readonly {readonly of: readonly string[]}[]
  readonly files: readonly string[]
}

/** Exports an environment for helm into `out`, with the secrets that it names. */
async function exported(environment: TestEnvironment): Promise<ExportDocument> {
  const words = ['--format', 'helm', '--output-dir', join(environment.directory, 'out')]
  const document = await environment.json<ExportDocument>('export', ...words)
  const secrets = await environment.kk('values show', 'db', '--secrets', '--show-secrets')
  expect(secrets.exitCode, secrets.stderr).toBe(0)
  await writeFile(join(environment.directory, 'out/secrets/db.yaml'), secrets.stdout)
  return document
}
