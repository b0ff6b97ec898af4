import {cp, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {writeLock} from '../../../src/charts/lock-file.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {openHelm} from '../../../src/helm/open.ts'
import {helmVersion} from '../../../src/helm/version.ts'
import {prepare} from '../../../src/prepare/prepare.ts'
import {expectLocked, lockNow} from '../../../src/verbs/charts/lock-charts.ts'
import {writeFiles} from '../../charts/support/write-files.ts'
import {HELMS} from '../../support/helms.ts'
import {toolPath} from '../../support/tools.ts'

const WORKLOAD = join(import.meta.dirname, '../../fixtures/charts/workload')

async function openPorts() {
  const path = await toolPath(HELMS[0]!)
  const helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
  const digestOf = async (image: string) => {
    if (image.startsWith('registry.example.org/workload')) throw new KkError('KK_IMAGE', 'it does not answer')
    return `digest of ${image}`
  }
  return {helm, digestOf}
}

async function preparedIn(directory: string, values = '{}') {
  const text = `kk: {charts: [charts], releases: {app: {chart: workload}}}\napp: ${values}\n`
  return prepare({
    environment: readEnvironment({file: 'cloud.yaml', text, directory}),
    finding: {builtIn: async () => directory, cache: directory, packages: {} as never},
    values: [],
    sets: [],
  })
}

it('a lock has the charts and the images of all pods, including tests and hooks, and reports unresolved images', async () => {
  const directory = writeFiles({})
  await cp(WORKLOAD, join(directory, 'charts/workload'), {recursive: true})

  const {lock, unresolved} = await lockNow(
    await preparedIn(directory, '{test: {pod: {}}}'),
    await openPorts(),
  )

  expect(lock.charts).toEqual({
    'openstack/app': {
      chart: 'workload',
      version: '1.0.0',
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    },
  })
  expect(lock.images).toMatchObject({
    'registry.example.org/test:1': 'digest of registry.example.org/test:1',
    'registry.example.org/workload:1': null,
  })
  expect(unresolved).toEqual([{image: 'registry.example.org/workload:1', reason: 'it does not answer'}])
})

it('an environment that differs from its lock is refused, with a line for each difference', async () => {
  const directory = writeFiles({})
  const copy = join(directory, 'charts/workload')
  await cp(WORKLOAD, copy, {recursive: true})
  const ports = await openPorts()
  const prepared = await preparedIn(directory)
  await expect(expectLocked(prepared, ports)).rejects.toMatchObject({
    code: 'KK_LOCKED',
    hint: 'write it with kk charts lock',
  })
  await writeLock(prepared.environment, (await lockNow(prepared, ports)).lock)
  await expect(expectLocked(prepared, ports)).resolves.toMatchObject({differences: []})

  const manifest = join(copy, 'Chart.yaml')
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('version: 1.0.0', 'version: 2.0.0'))
  const changed = await preparedIn(directory, '{image: "registry.example.org/other:1"}')

  const error = await expectLocked(changed, ports).catch((error: KkError) => error)

  expect(error).toMatchObject({code: 'KK_LOCKED', exit: 3})
  expect((error as KkError).message.split('\n').slice(1)).toEqual([
    '  openstack/app: workload 1.0.0 is locked, not workload 2.0.0',
    '  registry.example.org/other:1: is not locked',
    '  registry.example.org/workload:1: is locked, but nothing uses it',
  ])
})
