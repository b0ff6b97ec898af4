import type {Library} from './chart.ts'
import {readOwnFiles} from './own-files.ts'

/** Whether a template of a chart asks which kinds the cluster has; packed subcharts are not looked into. */
export function asksApiVersions(chart: Library): boolean {
  const isAsking = readOwnFiles(chart).some(
    ({path, bytes}) => path.includes('templates/') && bytes.includes('APIVersions'),
  )
  return isAsking || chart.libraries.some(asksApiVersions)
}
