import {asKkError} from '../../base/errors.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {ActionForecast} from '../../plan/forecast/action-forecast.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {releaseNamespace} from '../../release.ts'
import {noticedText} from '../../report/run/noticed-text.ts'
import type {RunState} from '../../run/run-state.ts'
import {type NoticedAction, readNoticed} from '../../verbs/change/noticed.ts'
import {type Console, writeView} from '../console.ts'

interface Sources {
  readonly cluster: Pick<Cluster, 'exec'>
  readonly prepared: Pick<Prepared, 'releases'>
  readonly forecast: readonly ActionForecast[] | undefined
  readonly console: Console
}

/**
 * Shows what the prober of the environment recorded during a run, and returns it; undefined without a prober, or if it cannot be asked,
 * which a note says.
 */
export async function showNoticed(
  state: RunState,
  {cluster: {exec}, prepared, forecast, console}: Sources,
): Promise<readonly NoticedAction[] | undefined> {
  const probers = [...prepared.releases].filter(([, {chart}]) => chart.name === 'probers')
  const namespaces = new Set(probers.map(([release]) => releaseNamespace(release)))
  if (namespaces.size === 0) return undefined
  try {
    const noticed = await readNoticed(state, {exec, namespaces, forecast, now: Date.now()})
    if (noticed) writeView('stderr', ['', ...noticedText(noticed, console.palette('stderr'))])
    return noticed
  } catch (error) {
    console.say(`note: what users noticed is not known: ${asKkError(error).message}`)
    return undefined
  }
}
