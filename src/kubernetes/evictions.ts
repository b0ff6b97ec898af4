import {isApiError, isRefusedByBudget} from './api/api-error.ts'
import type {ApiClient} from './api/client.ts'
import {listAll} from './api/list.ts'
import {PODS, requestText, resourcePath} from './api/resources.ts'
import type {Pod} from './gate/kinds/observed.ts'

/** A pod on a node. */
export interface NodePod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** The kind of its controller; undefined for a pod that nothing re-creates. */
  readonly controller: string | undefined
  /** The labels of nodes on which it may run. */
  readonly selector: Readonly<Record<string, string>>
  readonly isBeingDeleted: boolean
  /** Whether it is there because instances run on the node, and ends when none does. */
  readonly blocksDrain?: true
}

/** Takes pods off nodes, as `kubectl drain` does. Every function throws like those of `Cluster`. */
export interface Evictions {
  /**
   * Returns the pods of a node, in all namespaces, without those that have ended or that the kubelet owns.
   */
  pods(node: string): Promise<readonly NodePod[]>
  /**
   * Requests the eviction of a pod. Returns undefined if it is granted or the pod is gone; else why not yet:
   * a PodDisruptionBudget.
   */
  evict(pod: NodePod): Promise<string | undefined>
}

/** The annotation of a pod from a file of the kubelet. */
const MIRROR = 'kubernetes.io/config.mirror'
/** The label of the pods of nova's component `drain-blocker` (charts/nova/templates/_drain-blocker.tpl). */
export const BLOCKS_DRAIN = 'kk.openstack.org/blocks-drain'

export function openEvictions(client: ApiClient): Evictions {
  return {
    pods: (node) => listPods(client, node),
    evict: (pod) => evict(client, pod),
  }
}

async function listPods(client: ApiClient, node: string): Promise<readonly NodePod[]> {
  const {items} = await listAll<Pod>(client, {
    path: '/api/v1/pods',
    query: {fieldSelector: `spec.nodeName=${node},status.phase!=Succeeded,status.phase!=Failed`},
    summary: `list the pods of node ${node}`,
  })
  return items
    .filter(({metadata}) => metadata.annotations?.[MIRROR] === undefined)
    .map(({metadata, spec}) => {
      const {namespace = '', name, uid = '', ownerReferences = [], labels = {}, deletionTimestamp} = metadata
      const controller = ownerReferences.find((owner) => owner.controller)?.kind
      const selector = spec?.nodeSelector ?? {}
      const blocksDrain = labels[BLOCKS_DRAIN] !== undefined
      return {
        ...{namespace, name, uid, controller, selector, isBeingDeleted: deletionTimestamp !== undefined},
        ...(blocksDrain && {blocksDrain}),
      }
    })
}

async function evict(client: ApiClient, {namespace, name, uid}: NodePod): Promise<string | undefined> {
  try {
    await client.json({
      method: 'POST',
      path: `${resourcePath(PODS, namespace, name)}/eviction`,
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: {namespace, name},
        deleteOptions: {preconditions: {uid}},
      },
      summary: requestText('evict', PODS, namespace, name),
    })
    return undefined
  } catch (error) {
    if (isRefusedByBudget(error)) return error.serverMessage ?? error.message
    // A conflict: another pod of this name.
    if (isApiError(error, 404, 409)) return undefined
    throw error
  }
}
