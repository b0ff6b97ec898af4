import {CLAIMS, NODES, PODS} from '../api/resources.ts'
import type {Collection} from '../watch/collection.ts'
import type {Watches} from '../watch/watches.ts'
import type {GatedObject} from './evaluate.ts'
import type {Observed, Workload} from './kinds/observed.ts'
import {matchesSelector} from './kinds/selector.ts'

/**
 * Whether a change in a collection can affect these objects: with a hundred gates, most changes affect
 * others.
 */
export function isRelevant(
  changed: Observed,
  {resource, namespace}: Collection,
  gated: readonly GatedObject[],
  watches: Watches,
): boolean {
  if (resource.kind === CLAIMS.kind || resource.kind === NODES.kind) return true
  return gated.some((one) => {
    if (one.namespace !== namespace) return false
    if (one.resource.kind === resource.kind) return one.name === changed.metadata.name
    if (resource.kind !== PODS.kind || one.resource.isAlone) return false
    const owner: Workload | undefined = watches.collection(one.resource, namespace).get(one.name)
    return matchesSelector(owner?.spec?.selector, changed)
  })
}
