import type {Chart} from '../../charts/chart.ts'
import {mentions} from '../../charts/own-files.ts'
import type {Action} from '../../plan/plan.ts'
import {type Foreknown, layersKey} from '../inference/foreknown.ts'
import type {Prepared} from '../prepare.ts'

/**
 * Returns what is known of the render of a release without rendering it again: only for an install whose values are
 * unchanged and whose chart asks the cluster nothing. Returns undefined for any other.
 */
export function foreknownRender(
  {foreknown, releases}: Pick<Prepared, 'foreknown' | 'releases'>,
  {release, kind}: Pick<Action, 'release' | 'kind'>,
): Foreknown | undefined {
  const known = foreknown?.get(release)
  const prepared = releases.get(release)
  if (!known || !prepared || kind !== 'install' || known.layers !== layersKey(prepared.layers))
    return undefined
  return asksOfCluster(prepared.chart) ? undefined : known
}

function asksOfCluster(chart: Chart): boolean {
  return chart.kubeVersion !== undefined || mentions(chart, 'Capabilities', 'lookup')
}
