import {existsSync} from 'node:fs'
import {basename, dirname, join, resolve} from 'node:path'
import type {Chart} from '../../charts/chart.ts'
import {type Component, componentsOf} from '../../charts/components-of.ts'
import {defaultValues} from '../../charts/default-values.ts'
import {namesInDirectory} from '../../charts/directory.ts'
import {type ChartFinding, chartNames, findChart} from '../../charts/find-chart.ts'
import {readChart} from '../../charts/read-chart.ts'
import type {Environment} from '../../environment/environment.ts'
import {KkError} from '../../errors.ts'
import {mergeValues} from '../../overrides/merge.ts'

interface ExplainChartOptions {
  /** A directory with a `Chart.yaml`, or the name of a chart or release of the environment. */
  readonly chart: string
  /** The environment whose charts and values count; undefined for a directory on its own. */
  readonly environment: Environment | undefined
  readonly finding: ChartFinding
}

export interface ExplainedChart {
  readonly chart: string
  readonly version: string
  readonly directory: string
  /** The name of the environment, if its section gives the values. */
  readonly environment?: string
  readonly components: readonly Component[]
}

/**
 * Returns what a chart requires by its values, without rendering it: by component, with the switch that turns it on.
 * Throws `KK_CHART_NOT_FOUND`.
 */
export async function explainChart(options: ExplainChartOptions): Promise<ExplainedChart> {
  const {chart: asked, environment, finding} = options
  const isPath = existsSync(join(asked, 'Chart.yaml'))
  if (!isPath && !environment)
    throw new KkError('KK_CHART_NOT_FOUND', `${asked} is no directory with a Chart.yaml`, {
      hint: 'name the directory of a chart or, with -e FILE, a release of that environment',
    })
  const chart = isPath ? readChart(resolve(asked)) : await chartOf(asked, environment!, finding)
  const section = environment?.sections.get(isPath ? basename(resolve(asked)) : asked)
  const names = isPath
    ? namesInDirectory(dirname(chart.directory))
    : await chartNames(environment!.charts, finding)
  return {
    chart: chart.name,
    version: chart.version,
    directory: chart.directory,
    ...(section && environment && {environment: environment.name}),
    components: componentsOf({
      values: mergeValues(defaultValues(chart.directory), section ?? {}),
      chart: chart.name,
      names,
    }),
  }
}

async function chartOf(name: string, environment: Environment, finding: ChartFinding): Promise<Chart> {
  const settings = environment.releases.get(name)
  const wanted = {
    name: settings?.chart ?? name,
    ...(settings?.version !== undefined && {version: settings.version}),
  }
  return findChart(wanted, environment.charts, finding)
}
