import {type Destination, published} from '../../charts/publishing/destination.ts'
import type {PackedChart} from '../../charts/publishing/pack-chart.ts'
import {type PackOptions, packCharts} from './package-charts.ts'

interface PublishOptions extends PackOptions {
  readonly destination: Destination
}

/** A package, and whether it, or what signs it, is to be added, or is there already. */
export interface PublishedChart {
  readonly packed: PackedChart
  readonly state: 'new' | 'there' | 'unsigned'
}

/**
 * Returns what is to be published; nothing is written. Rejects with `KK_PUBLISHED` when the destination has one of the
 * versions with other content, and as `packageCharts` does.
 */
export async function planPublish({
  destination,
  ...options
}: PublishOptions): Promise<readonly PublishedChart[]> {
  return planPacked(await packCharts(options), destination)
}

/** The same for packages. */
export async function planPacked(
  packages: readonly PackedChart[],
  destination: Destination,
): Promise<readonly PublishedChart[]> {
  const charts: PublishedChart[] = []
  const others: PackedChart[] = []
  for (const packed of packages) {
    const state = await destination.stateOf(packed)
    if (state === 'other') others.push(packed)
    else charts.push({packed, state})
  }
  if (others.length > 0) throw published(others, destination.name)
  return charts
}

/** Adds what is new. Rejects with `KK_PUBLISHED` and `KK_CHART`; what was added by then stays. */
export function publish(charts: readonly PublishedChart[], destination: Destination): Promise<void> {
  return destination.add(charts.flatMap(({packed, state}) => (state === 'there' ? [] : [packed])))
}
