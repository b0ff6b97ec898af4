import type {ChartFacts} from '../../../graph/inference/facts.ts'
import {hookEvents} from '../../../kubernetes/manifest/helm-view.ts'
import {type RenderedObject, renderedObjects} from '../../../kubernetes/manifest/manifest.ts'
import {providedBy} from './provided-by.ts'
import {waiterOf} from './waiter-of.ts'
import {wantsOf} from './wants-of.ts'

/** Returns what a chart provides and wants, from the output of `helm template`. Throws as `parseManifest`. */
export function manifestFacts(manifest: string, namespace: string): ChartFacts {
  return factsOfObjects(renderedObjects(manifest), namespace)
}

/**
 * Returns what a chart provides and wants in a namespace, ignoring hooks of tests, deletion and rollback
 * only.
 */
export function factsOfObjects(all: readonly RenderedObject[], namespace: string): ChartFacts {
  const rendered = all.filter(({object}) => waiterOf(object) !== undefined)
  return {
    provided: providedBy(rendered, namespace),
    wants: wantsOf(rendered, namespace),
    ...(rendered.some(isAfter) && {hooksAfter: true}),
  }
}

function isAfter({object}: RenderedObject): boolean {
  return hookEvents(object).some((event) => event === 'post-install' || event === 'post-upgrade')
}
