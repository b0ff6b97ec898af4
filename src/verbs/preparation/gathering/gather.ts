import {digestCharts} from '../../../charts/digest-chart.ts'
import type {ChartFinding} from '../../../charts/find-chart.ts'
import type {Environment} from '../../../environment/environment.ts'
import type {Layer} from '../../../overrides/layer.ts'
import type {SetFlag, ValuesFlag} from '../../../overrides/release-flags.ts'
import type {ReleaseId} from '../../../release.ts'
import type {PlaceLayers} from '../../overrides/layers-of-place.ts'
import {layersOf} from './layers-of.ts'
import {type LoadedCharts, loadCharts} from './load-charts.ts'

export interface GatherOptions {
  readonly environment: Environment
  readonly finding: ChartFinding
  readonly values: readonly ValuesFlag[]
  readonly sets: readonly SetFlag[]
  /** Layers that depend on chart and namespace; none by default. */
  readonly places?: PlaceLayers
}

/** The charts of an environment with what is put into them. */
export interface Gathered extends LoadedCharts {
  /** By the directory of the chart. */
  readonly digests: ReadonlyMap<string, string>
  readonly layers: ReadonlyMap<ReleaseId, readonly Layer[]>
}

/** Finds the charts of what is wanted, of what that states to require, and of the releases that were added to it. */
export async function gather(
  {environment, finding, values, sets, places = {}}: GatherOptions,
  added: readonly ReleaseId[] = [],
): Promise<Gathered> {
  const loaded = await loadCharts(environment, finding, added)
  const charts = [...loaded.charts.values()]
  const digests = await digestCharts(charts)
  const system = await places.system?.(loaded.charts)
  const layers = new Map<ReleaseId, readonly Layer[]>()
  for (const [release, chart] of loaded.charts) {
    const {user} = places
    layers.set(release, await layersOf({environment, release, chart, values, sets, system, user}))
  }
  return {...loaded, digests, layers}
}
