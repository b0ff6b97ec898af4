import {join} from 'node:path'
import {KkError} from '../../errors.ts'
import {builtInFiles} from '../../state/assets.ts'
import {readServiceCharts, type ServiceChart} from '../../verbs/config/service-charts.ts'

/** The charts of services in a directory, by default those that kk carries. Rejects with `KK_CHART`. */
export async function chartsIn(directory: string | undefined): Promise<readonly ServiceChart[]> {
  const charts = await readServiceCharts(directory ?? join(await builtInFiles(process.env), 'charts'))
  if (charts.length > 0) return charts
  throw new KkError('KK_CHART', `${directory}: expected charts that stand on the library chart common`, {
    hint: 'name the directory that holds them, or leave --charts out',
  })
}
