import {readChart} from '../../src/charts/read-chart.ts'
import {chartPage} from '../../src/verbs/charts/package-charts.ts'
import {readOwnCharts} from '../charts/read-charts.ts'

export interface ValuesPage {
  readonly chart: string
  readonly text: string
}

/**
 * Returns a page of each of kk's charts: its requirements, passwords, and values with their defaults, as in
 * its package.
 */
export function valuesPages(): readonly ValuesPage[] {
  return readOwnCharts().flatMap(({name, directory}) => {
    const page = chartPage(readChart(directory))
    return page === undefined
      ? []
      : [{chart: name, text: page.readme.replace(/^# .*$/m, `# Values of ${name}`)}]
  })
}
