import type {ApiClient} from '../../api/client.ts'
import {listAll} from '../../api/list.ts'
import {asking, JOBS, readObject, resourcePath} from '../../api/resources.ts'

interface JobSeen {
  readonly status?: {readonly succeeded?: number}
}

export async function readJob(
  client: ApiClient,
  at: {readonly namespace: string; readonly name: string},
): Promise<JobSeen | undefined> {
  return readObject<JobSeen>(client, JOBS, at)
}

export async function listJobs(
  client: ApiClient,
  namespace: string,
  labelSelector: string,
): Promise<readonly JobSeen[]> {
  const {items} = await listAll<JobSeen>(client, {
    path: resourcePath(JOBS, namespace),
    query: {labelSelector},
    asked: asking('list', JOBS, namespace),
  })
  return items
}

/** It has succeeded at least once. */
export function isJobDone({status}: JobSeen): boolean {
  return (status?.succeeded ?? 0) > 0
}
