import type {KnownChart, Library} from './chart.ts'
import {readDialectChart} from './dialect.ts'
import {digestChart} from './digest-chart.ts'
import {templateWords} from './own-files.ts'

/** Returns the facts in the files of a chart. Rejects with `KK_CHART`, `KK_YAML`. */
export async function knownOf(chart: Library): Promise<KnownChart> {
  const {dialect, values, templates = ''} = readDialectChart(chart)
  const digest = await digestChart(chart)
  return {...(dialect && {dialect}), values, templates, words: templateWords(chart), digest}
}
