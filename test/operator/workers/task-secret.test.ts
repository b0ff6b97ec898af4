import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readChartFiles} from '../../../src/charts/files/chart-files.ts'
import {isHook} from '../../../src/kubernetes/manifest/helm-view.ts'
import {parseManifest} from '../../../src/kubernetes/manifest/manifest.ts'
import {type DispatchedTask, readTask, writeTask} from '../../../src/operator/workers/task-secret.ts'
import {testDirectory} from '../../support/test-directory.ts'

const CHART = join(import.meta.dirname, '../../fixtures/charts/workload')
const RELEASE = 'openstack/db'

const action = {
  kind: 'install',
  release: RELEASE,
  reasons: [],
  chart: {name: 'workload', version: '0.1.0', appVersion: '1'},
  requires: [],
  group: [],
  revision: 0,
  inputs: 'i',
  protected: false,
} as const
/** Its item is a hook by the head of the List. */
const HOOK_LIST = `
apiVersion: v1
kind: List
metadata: {annotations: {helm.sh/hook: post-install}}
items: [{apiVersion: batch/v1, kind: Job, metadata: {name: a}}]
`

const handed: DispatchedTask = {
  environment: 'production',
  run: 'r1',
  appliedAwaited: true,
  task: {
    kind: 'install',
    action,
    work: {
      timeoutSeconds: 60,
      desired: {
        release: RELEASE,
        chart: {...action.chart, digest: 'd'},
        layers: [],
        requirements: [],
        owner: 'production',
        stated: true,
        protected: false,
      },
      chart: CHART,
      values: {region: 'Zürich', replicas: null, image: {tag: '1.0'}},
      objects: parseManifest(HOOK_LIST),
      dropped: [],
      mixed: [],
      unvalidated: [],
    },
  },
}

/** Keeps what is applied, as the API server does. */
function cluster() {
  let kept: unknown
  return {
    read: async <T>() => kept as T,
    apply: async (_: unknown, object: unknown) => {
      kept = object
      return {metadata: {}}
    },
    delete: async () => {
      kept = undefined
    },
    kept: () => JSON.stringify(kept),
  }
}

it('a worker reads the same task as the parent has written, with every byte of the chart', async () => {
  const objects = cluster()
  const directory = testDirectory()
  await writeTask(handed, objects)
  const {task, ...rest} = await readTask(RELEASE, {run: 'r1', directory, objects})

  expect(rest).toEqual({environment: 'production', run: 'r1', appliedAwaited: true})
  expect(task).toEqual({...handed.task, work: {...handed.task.work, chart: directory}})
  expect('objects' in task.work && task.work.objects.map(isHook)).toEqual([true])
  expect(readChartFiles(directory)).toEqual(readChartFiles(CHART))
  expect(await readFile(join(directory, 'Chart.yaml'), 'utf8')).toContain('name: workload')
  expect(objects.kept()).not.toContain('Zürich')
})

it.each([
  ['of another run', 'r2'],
  ['of a cancelled run', 'r1'],
])('a task %s is not run', async (what, run) => {
  const objects = cluster()
  const directory = testDirectory()
  await writeTask(handed, objects)
  if (what === 'of a cancelled run') await objects.delete()

  await expect(readTask(RELEASE, {run, directory, objects})).rejects.toMatchObject({code: 'KK_RACED'})
  expect(await readdir(directory)).toEqual([])
})
