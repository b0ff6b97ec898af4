import type {Chart} from '../../charts/chart.ts'
import {mentions} from '../../charts/own-files.ts'
import type {Action} from '../../plan/plan.ts'
import {type CachedRender, layersKey} from '../inference/cached-renders.ts'
import type {Prepared} from '../prepare.ts'

/**
 * Returns the cached render of a release: only for an install whose values are unchanged and whose chart
 * reads nothing from the cluster. Otherwise returns undefined.
 */
export function cachedRender(
  {cachedRenders, releases}: Pick<Prepared, 'cachedRenders' | 'releases'>,
  {release, kind}: Pick<Action, 'release' | 'kind'>,
): CachedRender | undefined {
  const cached = cachedRenders?.get(release)
  const prepared = releases.get(release)
  if (!cached || !prepared || kind !== 'install' || cached.layers !== layersKey(prepared.layers))
    return undefined
  return readsCluster(prepared.chart) ? undefined : cached
}

function readsCluster(chart: Chart): boolean {
  return chart.kubeVersion !== undefined || mentions(chart, 'Capabilities', 'lookup')
}
