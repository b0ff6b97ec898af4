import type {Chart} from '../../charts/chart.ts'
import {readIndex} from '../../charts/chart-index.ts'
import type {Environment} from '../../environment/environment.ts'
import type {KnownRelease} from '../../graph/inference/facts.ts'
import type {ReleaseId} from '../../release.ts'
import {releaseIdIn} from '../gathering/load-charts.ts'

interface ChartIndexOptions {
  readonly environment: Environment
  /** The releases that the environment already has. */
  readonly present: ReadonlyMap<ReleaseId, Chart>
  readonly cache: string
  /** The releases whose charts were indexed, but are no longer found. */
  readonly missingCharts: ReadonlySet<ReleaseId>
}

/**
 * Returns the charts of the indexed directories of `kk.charts` as releases, each under its own name. The
 * first directory that has a chart wins, as in chart lookup.
 */
export async function readChartIndex({
  environment,
  present,
  cache,
  missingCharts,
}: ChartIndexOptions): Promise<readonly KnownRelease[]> {
  const chartIndex = new Map<ReleaseId, KnownRelease>()
  for (const source of environment.charts) {
    if (source.kind !== 'directory') continue
    for (const {name, shared, facts} of await readIndex(source.path, cache)) {
      const release = releaseIdIn(environment, name)
      const isNew = !present.has(release) && !missingCharts.has(release) && !chartIndex.has(release)
      if (isNew) chartIndex.set(release, {release, facts, shared})
    }
  }
  return [...chartIndex.values()]
}
