import {once} from '../../base/once.ts'
import {CLAIMS, NODES, PODS, type Resource} from '../api/resources.ts'
import type {Observation} from './evaluate.ts'
import type {NamespaceObjects, Observed} from './kinds/observed.ts'
import {nodesByName} from './nodes.ts'

/** The objects in a collection now. */
export interface SeenCollection {
  get(name: string): Observed | undefined
  all(): readonly Observed[]
  /** Returns the last state of an object whose deletion was observed. */
  gone?(name: string): Observed | undefined
}

/** Returns an observation of collections for one evaluation, at a time by the cluster's clock. */
export function observation(
  collection: (resource: Resource, namespace: string) => SeenCollection,
  now: number,
): Observation {
  const nodes = once(() => nodesByName(collection(NODES, '').all()))
  const surroundings = new Map<string, NamespaceObjects>()
  return {
    object: (resource, namespace, name) => collection(resource, namespace).get(name),
    gone: (resource, namespace, name) => collection(resource, namespace).gone?.(name),
    nodes,
    now,
    namespaceObjects(namespace) {
      const cached = surroundings.get(namespace)
      if (cached) return cached
      const namespaceObjects: NamespaceObjects = {
        pods: collection(PODS, namespace).all(),
        now,
        claim: (name) => collection(CLAIMS, namespace).get(name),
      }
      surroundings.set(namespace, namespaceObjects)
      return namespaceObjects
    },
  }
}
