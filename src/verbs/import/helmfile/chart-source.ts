import {existsSync} from 'node:fs'
import {basename, dirname, relative, resolve} from 'node:path'
import type {ImportedSource} from '../imported.ts'
import type {Helmfile} from './helmfile.ts'

interface ChartPlace {
  /** Where the chart's path starts. */
  readonly directory: string
  /** Where the paths of the environment will start. */
  readonly home: string
  readonly repositories: NonNullable<Helmfile['repositories']>
}

/** What `kk.charts` says of the place of a chart, undefined where nobody knows it, and the name of the chart. */
export function chartSource(
  chart: string,
  {directory, home, repositories}: ChartPlace,
): {readonly source: ImportedSource | undefined; readonly chart: string} {
  const name = basename(chart)
  if (chart.startsWith('oci://'))
    return {source: `oci://${dirname(chart.slice('oci://'.length))}`, chart: name}
  if (/^[./]/.test(chart) || existsSync(resolve(directory, chart, 'Chart.yaml'))) {
    const place = relative(home, dirname(resolve(directory, chart)))
    return {source: place === '' ? '.' : place.startsWith('.') ? place : `./${place}`, chart: name}
  }
  const repository = repositories.find((each) => chart.startsWith(`${each.name}/`))
  if (repository?.url === undefined) return {source: undefined, chart: name}
  return {
    source: repository.oci
      ? `oci://${repository.url.replace(/^oci:\/\//, '')}`
      : {repository: repository.url},
    chart: name,
  }
}
