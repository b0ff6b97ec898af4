import type {ApiClient} from '../../api/client.ts'
import {listAll} from '../../api/list.ts'
import {asking, PODS, resourcePath} from '../../api/resources.ts'

/** What a gate looks at in a pod. */
export interface PodSeen {
  readonly spec: {readonly nodeName?: string}
  readonly status?: {
    readonly conditions?: readonly {readonly type: string; readonly status: string}[]
    readonly containerStatuses?: readonly {readonly name: string; readonly ready: boolean}[]
  }
}

export async function listPods(
  client: ApiClient,
  namespace: string,
  labelSelector: string,
): Promise<readonly PodSeen[]> {
  const {items} = await listAll<PodSeen>(client, {
    path: resourcePath(PODS, namespace),
    query: {labelSelector},
    asked: asking('list', PODS, namespace),
  })
  return items
}

export function isPodReady({status}: PodSeen): boolean {
  return status?.conditions?.some(({type, status: is}) => type === 'Ready' && is === 'True') ?? false
}
