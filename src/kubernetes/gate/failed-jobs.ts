import type {ApiClient} from '../api/client.ts'
import {JOBS, readObject, requestText, resourcePath} from '../api/resources.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {findCondition, type Workload} from './kinds/observed.ts'

interface FailedJob {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Returns the names of the Jobs among the objects that have failed permanently, in their order. */
export async function listFailedJobs(
  client: ApiClient,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly string[]> {
  return (await failedJobs(client, namespace, objects)).map(({name}) => name)
}

/**
 * Deletes the Jobs among the objects that have failed permanently, with their pods, and resolves with their
 * names. A Job's template is immutable, and helm does not touch a Job of the same name: only a new Job runs
 * again.
 */
export async function deleteFailedJobs(
  client: ApiClient,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly string[]> {
  const failed = await failedJobs(client, namespace, objects)
  for (const job of failed) {
    await client.json({
      method: 'DELETE',
      path: resourcePath(JOBS, job.namespace, job.name),
      summary: requestText('delete', JOBS, job.namespace, job.name),
      body: {propagationPolicy: 'Background', preconditions: {uid: job.uid}},
    })
  }
  return failed.map(({name}) => name)
}

async function failedJobs(
  client: ApiClient,
  releaseNamespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly FailedJob[]> {
  const jobs = objects.filter(({kind, apiVersion}) => kind === 'Job' && apiVersion.startsWith('batch/'))
  const failed = await Promise.all(
    jobs.map(async ({metadata}) => {
      const at = {namespace: metadata.namespace ?? releaseNamespace, name: metadata.name}
      const job = await readObject<Workload & {metadata: {uid: string}}>(client, JOBS, at)
      const isFailed = job !== undefined && findCondition(job, 'Failed')?.status === 'True'
      return isFailed ? [{...at, uid: job.metadata.uid}] : []
    }),
  )
  return failed.flat()
}
