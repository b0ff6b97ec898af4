import {existsSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {readDialectChart} from '../charts/dialect.ts'
import {readChart} from '../charts/read-chart.ts'
import type {Imported, ImportedSource} from '../exchange/imported.ts'
import {withNodeGroups} from '../exchange/node-groups.ts'

/**
 * Returns what was imported with the groups of nodes of openstack-helm (`conf.overrides`) as `node_groups`,
 * for releases of kk's own charts: those of a source that is a directory, relative to this one, and all
 * without a source. Other charts read their own values. Throws `KK_CHART` and `KK_YAML` for charts that are
 * not readable.
 */
export function importNodeGroups(imported: Imported, directory: string): Imported {
  const converted = imported.releases.map((release) => ({
    release,
    ...(isOwnChart(release.chart.name, imported.charts, directory)
      ? withNodeGroups(release.name, release.values)
      : {values: release.values, lost: []}),
  }))
  return {
    ...imported,
    releases: converted.map(({release, values}) => ({...release, values})),
    lost: [...imported.lost, ...converted.flatMap(({lost}) => lost)],
  }
}

function isOwnChart(chart: string, sources: readonly ImportedSource[], directory: string): boolean {
  if (sources.length === 0) return true
  for (const source of sources) {
    if (source === 'built-in') return true
    if (typeof source !== 'string') continue
    const place = join(resolve(directory, source), chart)
    if (existsSync(join(place, 'Chart.yaml'))) return readDialectChart(readChart(place)).dialect === 'kk'
  }
  return false
}
