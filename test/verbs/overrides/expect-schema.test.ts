import {join} from 'node:path'
import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Helm} from '../../../src/helm/helm.ts'
import {openHelm} from '../../../src/helm/open.ts'
import {helmVersion} from '../../../src/helm/version.ts'
import {prepare} from '../../../src/prepare/prepare.ts'
import {localOverrides} from '../../../src/verbs/overrides/local-overrides.ts'
import {environmentBase} from '../../../src/verbs/overrides/override-base.ts'
import {toolPath} from '../../support/tools.ts'
import {openService, setting} from './support/service.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** The deployer's overrides of kk's own memcached. */
async function memcached(helm: () => Promise<Pick<Helm, 'template'>>) {
  const prepared = await prepare({
    environment: readEnvironment({
      file: 'cloud.yaml',
      text: 'kk: {charts: [charts]}\nmemcached: {}\n',
      directory: ROOT,
    }),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
  })
  const {store} = await openService()
  const base = environmentBase(prepared, helm)
  const service = localOverrides({base, store, allowSecrets: true})('ada')
  const update = (expression: string, dryRun = true) =>
    service.update('memcached', 'openstack', {...setting(expression), flag: 'reuse', dryRun})
  return {update, service, store}
}

it('a preview and a change are refused if they break the schema of the chart', async () => {
  const path = await toolPath('helm4')
  const helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
  const {update} = await memcached(async () => helm)

  for (const isPreview of [true, false]) {
    await expect(update('pod.replicas.server=many', isPreview)).rejects.toMatchObject({
      code: 'KK_VALUES',
      message: expect.stringContaining("at '/pod/replicas/server'"),
    })
  }
  expect((await update('pod.replicas.server=2', false)).userOverrides).toContain('server: 2')
})

it('a preview and a change are refused if no file of the chart has the name below conf', async () => {
  const {update} = await memcached(() => Promise.reject(new KkError('KK_HELM_MISSING', 'there is none')))

  for (const isPreview of [true, false]) {
    await expect(update('conf.memcachd.memory-limit=64', isPreview)).rejects.toMatchObject({
      code: 'KK_VALUES',
      message: expect.stringContaining(
        'user overrides of memcached in openstack: conf.memcachd: no such file: did you mean "memcached"?',
      ),
    })
  }
})

it('an import is refused and nothing is written if it breaks the schema of a chart', async () => {
  const path = await toolPath('helm4')
  const helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
  const {service, store} = await memcached(async () => helm)
  const document = 'version: 1\noverrides: {memcached: {openstack: {pod: {replicas: {server: many}}}}}\n'

  for (const dryRun of [true, false]) {
    const importing = service.import(document, {file: 'overrides.yaml', prune: false, dryRun})
    await expect(importing).rejects.toMatchObject({
      code: 'KK_VALUES',
      message: expect.stringContaining("at '/pod/replicas/server'"),
    })
  }
  expect(await store.list()).toEqual([])
})

it('without helm no schema is checked', async () => {
  const {update} = await memcached(() => Promise.reject(new KkError('KK_HELM_MISSING', 'there is none')))

  expect((await update('pod.replicas.server=many')).userOverrides).toContain('server: many')
})
