import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, type Resource, resourcePath} from '../api/resources.ts'
import type {ScaleTarget} from '../cluster.ts'

const AUTOSCALERS: Resource = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
}

/** What the HorizontalPodAutoscalers of a namespace scale; none where they may not be listed. */
export async function listScaleTargets(
  client: ApiClient,
  namespace: string,
): Promise<readonly ScaleTarget[]> {
  try {
    const {items} = await listAll<{readonly spec: {readonly scaleTargetRef: ScaleTarget}}>(client, {
      path: resourcePath(AUTOSCALERS, namespace),
      asked: asking('list', AUTOSCALERS, namespace),
    })
    return items.map(({spec: {scaleTargetRef}}) => ({kind: scaleTargetRef.kind, name: scaleTargetRef.name}))
  } catch (error) {
    if (isApiError(error, 403, 404)) return []
    throw error
  }
}
