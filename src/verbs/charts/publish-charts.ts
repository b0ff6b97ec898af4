import {type Destination, published} from '../../charts/publishing/destination.ts'
import type {PackedChart} from '../../charts/publishing/pack-chart.ts'
import {type PackOptions, packCharts} from './package-charts.ts'

interface PublishOptions extends PackOptions {
  readonly destination: Destination
}

/** A package, and whether the package, or only its provenance, must be added, or both already exist. */
export interface PublishedChart {
  readonly packed: PackedChart
  readonly state: 'new' | 'there' | 'unsigned'
}

/**
 * Returns what would be published; writes nothing. Rejects with `KK_PUBLISHED` if the destination has one of
 * the versions with other content, and as `packageCharts` does.
 */
export async function planPublish({
  destination,
  ...options
}: PublishOptions): Promise<readonly PublishedChart[]> {
  return planPacked(await packCharts(options), destination)
}

/** As `planPublish`, for existing packages. */
export async function planPacked(
  packages: readonly PackedChart[],
  destination: Destination,
): Promise<readonly PublishedChart[]> {
  const charts: PublishedChart[] = []
  const conflicting: PackedChart[] = []
  for (const packed of packages) {
    const state = await destination.stateOf(packed)
    if (state === 'other') conflicting.push(packed)
    else charts.push({packed, state})
  }
  if (conflicting.length > 0) throw published(conflicting, destination.name)
  return charts
}

/** Adds new packages. Rejects with `KK_PUBLISHED` and `KK_CHART`; packages already added stay. */
export function publish(charts: readonly PublishedChart[], destination: Destination): Promise<void> {
  return destination.add(charts.flatMap(({packed, state}) => (state === 'there' ? [] : [packed])))
}
