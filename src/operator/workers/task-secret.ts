import {promisify} from 'node:util'
import {gunzip, gzip} from 'node:zlib'
import {asKkError, KkError} from '../../base/errors.ts'
import {readChartFiles, writeChartFiles} from '../../charts/files/chart-files.ts'
import {SECRETS} from '../../kubernetes/api/resources.ts'
import {readHead, writeHead} from '../../kubernetes/manifest/helm-view.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Task} from '../../run/task.ts'
import {MANAGER} from '../apply-cache.ts'

/** The tasks of a deployment: workers run no others. */
export type DeployTask = Extract<Task, {readonly kind: 'install' | 'upgrade' | 'relabel' | 'await' | 'check'}>

/** A task that is dispatched to a worker. */
export interface DispatchedTask {
  readonly environment: string
  /** The ID of the run. */
  readonly run: string
  readonly task: DeployTask
  /** Whether another action waits until the objects of this release exist. */
  readonly appliedAwaited: boolean
}

/** The stored form of a task, with the files of its chart. */
interface StoredTask extends DispatchedTask {
  /** `text` is latin1, one character per byte, which compresses better than base64. */
  readonly files: readonly {readonly path: string; readonly text: string}[]
}

type TaskObjects = Pick<Objects, 'apply' | 'read' | 'delete'>

/** The label of the Secret of a task with the name of its Environment. */
export const TASK_LABEL = 'kk.openstack.org/task'

/** Returns the Secret of the task of a release. It is next to the Helm record, which has the same content. */
export function taskSecret(release: ReleaseId): {readonly namespace: string; readonly name: string} {
  return {namespace: releaseNamespace(release), name: `kk-task.${releaseName(release)}`}
}

/**
 * Writes a task for a worker; gzipped, as in a Helm record, so that it fits into a Secret if the Helm record
 * does.
 */
export async function writeTask(dispatched: DispatchedTask, objects: TaskObjects): Promise<void> {
  const {task} = dispatched
  const chart = 'chart' in task.work ? readChartFiles(task.work.chart) : []
  const files = chart.map(({path, bytes}) => ({path, text: bytes.toString('latin1')}))
  const stored: StoredTask = {...dispatched, files}
  const packed = await promisify(gzip)(JSON.stringify(stored, writeHead))
  const {apiVersion, kind} = SECRETS
  const secret = {
    apiVersion,
    kind,
    type: 'kk.openstack.org/task',
    metadata: {...taskSecret(task.action.release), labels: {[TASK_LABEL]: dispatched.environment}},
    data: {task: packed.toString('base64')},
  }
  await objects.apply(SECRETS, secret, {manager: MANAGER})
}

/**
 * Reads the task of a release, and writes its chart into a directory. Throws `KK_RACED` if the task is not of
 * this run.
 */
export async function readTask(
  release: ReleaseId,
  {
    run,
    directory,
    objects,
  }: {readonly run: string; readonly directory: string; readonly objects: TaskObjects},
): Promise<DispatchedTask> {
  const secret = await objects.read<{readonly data?: {readonly task?: string}}>(SECRETS, taskSecret(release))
  const packed = Buffer.from(secret?.data?.task ?? '', 'base64')
  const stored =
    packed.length > 0 && (JSON.parse(String(await promisify(gunzip)(packed)), readHead) as StoredTask)
  if (!stored || stored.run !== run) throw new KkError('KK_RACED', `the task of ${release} was cancelled`)
  const {files, task, ...rest} = stored
  if (!('chart' in task.work)) return {...rest, task}
  const chart = files.map(({path, text}) => ({path, bytes: Buffer.from(text, 'latin1')}))
  await writeChartFiles(chart, directory)
  return {...rest, task: {...task, work: {...task.work, chart: directory}} as DeployTask}
}

export function deleteTask(release: ReleaseId, objects: TaskObjects): Promise<void> {
  return objects.delete(SECRETS, taskSecret(release))
}

/**
 * Deletes all task Secrets of an Environment in a namespace; none if they cannot be listed for lack of
 * rights.
 */
export async function deleteTasks(
  environment: string,
  namespace: string,
  objects: Pick<Objects, 'list' | 'delete'>,
): Promise<void> {
  const secrets = await objects
    .list<{readonly metadata: {readonly name: string}}>(SECRETS, namespace, `${TASK_LABEL}=${environment}`)
    .catch((error: unknown) => {
      if (asKkError(error).code === 'KK_FORBIDDEN') return []
      throw error
    })
  for (const {metadata} of secrets ?? []) await objects.delete(SECRETS, {namespace, name: metadata.name})
}
