import {apiGroup} from './api-group.ts'
import type {KubernetesObject} from './cluster.ts'

/**
 * Objects of one key are one object on a cluster, in whatever version of its group a manifest names it. `namespace` is that
 * of those that name none.
 */
export function objectKey({apiVersion, kind, metadata}: KubernetesObject, namespace: string): string {
  return `${apiGroup(apiVersion)}/${kind}/${metadata.namespace ?? namespace}/${metadata.name}`
}
