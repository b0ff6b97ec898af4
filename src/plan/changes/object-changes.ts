import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {canonicalJson} from '../digest.ts'
import {matchObjects} from './match-objects.ts'

/** An object that differs. */
export interface ObjectChange {
  /** The name, such as `apps/v1 Deployment openstack/keystone-api`. */
  readonly object: string
  readonly change: 'added' | 'changed' | 'removed'
}

/** Returns the objects that differ between two manifests, regardless of the order of objects and keys. */
export function objectChanges(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  namespace: string,
): readonly ObjectChange[] {
  return matchObjects(before, after, namespace).flatMap(({name, ...pair}): readonly ObjectChange[] => {
    if (pair.before === undefined) return [{object: name, change: 'added'}]
    if (pair.after === undefined) return [{object: name, change: 'removed'}]
    return canonicalJson(pair.before) === canonicalJson(pair.after) ? [] : [{object: name, change: 'changed'}]
  })
}
