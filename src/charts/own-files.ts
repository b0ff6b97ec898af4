import type {Library} from './chart.ts'
import {isPackageOf} from './dependencies.ts'
import {type ChartFile, readChartFiles} from './files/chart-files.ts'

/**
 * The files of a chart that are not its libraries'. Copies of these under `charts/` are left out, for they may be
 * older than the library (Helm compares names only); so is `Chart.lock`, which says when they were copied.
 */
export function readOwnFiles(chart: Library): ChartFile[] {
  return readChartFiles(chart.directory).filter(({path}) => path !== 'Chart.lock' && !isCopy(path, chart))
}

function isCopy(path: string, chart: Library): boolean {
  const [folder, entry = ''] = path.split('/', 2)
  if (folder !== 'charts') return false
  return chart.libraries.some(({name}) => entry === name || isPackageOf(entry, name))
}
