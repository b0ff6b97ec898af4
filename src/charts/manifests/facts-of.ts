import type {ChartFacts} from '../../graph/inference/facts.ts'
import {providedBy} from './provided-by.ts'
import {renderedObjects} from './rendered-objects.ts'
import {waiterOf} from './waiter-of.ts'
import {wantsOf} from './wants-of.ts'

/**
 * What a rendered chart provides and wants; what only tests, deletion and rollback make is left out. `namespace` is the
 * release's. Throws what `parseManifest` throws.
 */
export function factsOf(manifest: string, namespace: string): ChartFacts {
  const rendered = renderedObjects(manifest).filter(({object}) => waiterOf(object) !== undefined)
  return {provided: providedBy(rendered, namespace), wants: wantsOf(rendered, namespace)}
}
