import type {Cluster} from '../../cluster/cluster.ts'
import type {LeaseView} from '../../cluster/lease/view.ts'
import {awaitOrphans} from '../../verbs/change/turn/await-orphans.ts'
import {inTurn} from '../../verbs/change/turn/in-turn.ts'
import {tell} from '../show/tell.ts'

interface Turn {
  readonly environment: string
  readonly flags: {readonly 'dry-run': boolean; readonly 'no-wait': boolean}
}

/**
 * What is planned when the helms that dead runs of the environment have left at work on this machine have ended, and no
 * other run is at work on what it is about; says for whom it waits. A dry run, and who would not wait, plan at once.
 */
export async function planInTurn<T>(
  cluster: Cluster,
  {environment, flags}: Turn,
  plan: () => Promise<T>,
): Promise<T> {
  const waits = !flags['dry-run'] && !flags['no-wait']
  const say = (line: string) => tell('stderr', `${line}\n`)
  const isConcerned = ({operation}: LeaseView) => operation?.environment === environment
  if (waits) await awaitOrphans(cluster, {isConcerned, say})
  return inTurn(cluster, plan, {waits, say})
}
