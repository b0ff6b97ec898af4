import {asKkError} from '../../base/errors.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {ActionForecast} from '../../plan/forecast/action-forecast.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {releaseNamespace} from '../../release.ts'
import {noticedText} from '../../report/run/noticed-text.ts'
import {type NoticedAction, readNoticed} from '../../verbs/change/noticed.ts'
import {type Console, writeView} from '../console.ts'
import {abortable} from '../signals.ts'
import type {ShownRun} from './run.ts'

interface Sources {
  readonly cluster: Pick<Cluster, 'exec'>
  readonly prepared: Pick<Prepared, 'releases'>
  readonly forecast: readonly ActionForecast[] | undefined
  readonly console: Console
}

/**
 * Shows what the prober of the environment recorded during a run, and returns it; undefined without a prober,
 * after an interruption, or if it cannot be asked, which a note says. Ctrl-C ends the question, not the
 * command.
 */
export async function showNoticed(
  {state, isInterrupted}: Pick<ShownRun, 'state' | 'isInterrupted'>,
  {cluster: {exec}, prepared, forecast, console}: Sources,
): Promise<readonly NoticedAction[] | undefined> {
  const probers = [...prepared.releases].filter(([, {chart}]) => chart.name === 'probers')
  const namespaces = new Set(probers.map(([release]) => releaseNamespace(release)))
  if (namespaces.size === 0 || isInterrupted) return undefined
  try {
    const noticed = await abortable('the question to the prober', (signal) =>
      readNoticed(state, {exec, namespaces, forecast, now: Date.now, signal}),
    )
    if (noticed) writeView('stderr', ['', ...noticedText(noticed, console.palette('stderr'))])
    return noticed
  } catch (error) {
    console.say(`note: what users noticed is not known: ${asKkError(error).message}`)
    return undefined
  }
}
