import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {listAll} from '../api/list.ts'
import {type Resource, requestText, resourcePath} from '../api/resources.ts'

/** A workload that an autoscaler scales. */
export interface ScaleTarget {
  readonly kind: string
  readonly name: string
  /** Whether it is scaled up from 0 too: a HorizontalPodAutoscaler does so only if its `minReplicas` is 0. */
  readonly fromZero: boolean
}

const AUTOSCALERS: Resource = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
}

/**
 * Returns the workloads that the autoscalers of a namespace scale: HorizontalPodAutoscalers and, if KEDA is
 * installed, ScaledObjects, which scale to 0 without one. Autoscalers that may not be listed are omitted.
 */
export async function listScaleTargets(
  client: ApiClient,
  discovery: Pick<Discovery, 'find'>,
  namespace: string,
): Promise<readonly ScaleTarget[]> {
  const keda = await discovery.find('keda.sh/v1alpha1', 'ScaledObject')
  const lists = [AUTOSCALERS, ...(keda ? [keda] : [])].map((resource) =>
    targetsIn(client, resource, namespace),
  )
  return (await Promise.all(lists)).flat()
}

/**
 * Returns whether an autoscaler decides the replicas of a workload with this number of replicas (Kubernetes
 * 1.36: podautoscaler/horizontal.go reconcileAutoscaler, `ScalingDisabled`).
 */
export function isScaled(
  {kind, name}: {readonly kind: string; readonly name: string},
  replicas: unknown,
  targets: readonly ScaleTarget[],
): boolean {
  const own = targets.filter((target) => target.kind === kind && target.name === name)
  return own.some(({fromZero}) => fromZero || replicas !== 0)
}

/** The reference of an autoscaler to its target. KEDA: a target without a kind is a Deployment. */
export interface ScaleTargetRef {
  readonly kind?: string
  readonly name: string
}

/** Returns the workload that an autoscaler refers to. */
export function referredTo({kind = 'Deployment', name}: ScaleTargetRef): Pick<ScaleTarget, 'kind' | 'name'> {
  return {kind, name}
}

interface Autoscaler {
  readonly spec: {
    readonly scaleTargetRef: ScaleTargetRef
    readonly minReplicas?: number
  }
}

async function targetsIn(
  client: ApiClient,
  resource: Resource,
  namespace: string,
): Promise<readonly ScaleTarget[]> {
  try {
    const {items} = await listAll<Autoscaler>(client, {
      path: resourcePath(resource, namespace),
      summary: requestText('list', resource, namespace),
    })
    return items.map(({spec: {scaleTargetRef, minReplicas}}) => ({
      ...referredTo(scaleTargetRef),
      fromZero: resource !== AUTOSCALERS || minReplicas === 0,
    }))
  } catch (error) {
    if (isApiError(error, 403, 404)) return []
    throw error
  }
}
