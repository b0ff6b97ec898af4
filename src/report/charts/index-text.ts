import type {ChartsIndexed} from '../../verbs/charts/index-charts.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {counted} from '../text/list.ts'

/** What a directory of charts provides, one line for each chart. */
export function indexText({directory, charts, failed}: ChartsIndexed, palette: Palette): string {
  const rows = charts.map(({name, version, provides, kinds}) => [
    name,
    palette.quiet(version),
    counted(provides, 'object'),
    kinds === 0 ? '' : counted(kinds, 'custom kind'),
  ])
  const lines = [
    ...table(rows, {indent: '  '}),
    ...failed.map(({name, message}) => `  ${palette.change('!')} ${name} is left out: ${message}`),
    `${palette.strong('indexed')} ${counted(charts.length, 'chart')} of ${directory}`,
  ]
  return `${lines.join('\n')}\n`
}
