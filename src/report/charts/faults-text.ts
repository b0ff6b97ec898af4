import {releaseName} from '../../release.ts'
import type {ChartFault} from '../../verbs/charts/doctor/chart-fault.ts'
import type {Palette} from '../colour.ts'
import {doctorText} from '../doctor-text.ts'

/** Faults of charts for people: each with its release, and the file of the chart. */
export function chartFaultsText(faults: readonly ChartFault[], palette: Palette): string {
  if (faults.length === 0) return 'nothing is wrong with the charts\n'
  return doctorText(faults.map(placed), palette)
}

function placed({release, file, key: _, other: __, what, ...fault}: ChartFault) {
  const place = file === undefined || what.includes(file) ? '' : ` (${file})`
  const name = releaseName(release)
  // What helm says of a chart begins with the release already, and what is said of several with the first of them.
  const isNamed = what.startsWith(`${name}: `) || what.startsWith(`${name} and `)
  return {...fault, what: `${isNamed ? '' : `${name}: `}${what}${place}`}
}
