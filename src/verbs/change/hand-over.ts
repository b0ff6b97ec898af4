import {KkError} from '../../base/errors.ts'
import type {Format} from '../../exchange/lost.ts'
import {makeHandOverPlan} from '../../plan/hand-over.ts'
import type {Plan} from '../../plan/plan.ts'
import {preparedMask} from '../../prepare/environment-mask.ts'
import {observedRecords} from '../../prepare/observed-records.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {visibleRecords} from '../../prepare/visible-records.ts'
import type {RunEvent} from '../../run/events.ts'
import {timedTasks} from '../../run/task.ts'
import {planCluster} from '../cluster-of.ts'
import {type RunChoices, type RunPorts, startRun} from './start-run.ts'

/** The formats whose tool cannot take over releases of the cluster, and why. */
const TAKEOVER_OBSTACLES: Partial<Readonly<Record<Format, string>>> = {
  'argo-workflows': 'its steps run kk, which still manages the releases',
  armada: 'Armada installs releases under other names, and takes over none',
}

/** Throws `KK_USAGE` for a format whose tool takes over no release. */
export function expectTakesOver(format: Format): void {
  const reason = TAKEOVER_OBSTACLES[format]
  if (reason === undefined) return
  throw new KkError('KK_USAGE', `--hand-over: nothing can be handed over to ${format}: ${reason}`, {
    hint: 'omit --hand-over',
  })
}

interface PlannedHandOver {
  readonly plan: Plan
  run(choices: RunChoices): AsyncIterable<RunEvent>
}

/**
 * Plans to label the installed releases of an environment as those of another tool; changes nothing. Throws
 * the errors of `makeHandOverPlan`.
 */
export async function planHandOver(
  prepared: Prepared,
  format: Format,
  ports: RunPorts,
): Promise<PlannedHandOver> {
  const {environment, graph, releases} = prepared
  const {cluster} = ports
  const desired = new Map([...releases].map(([release, each]) => [release, each.desired]))
  const [plansCluster, seen] = await Promise.all([
    planCluster(cluster),
    visibleRecords(cluster, graph.releases),
  ])
  const plan = makeHandOverPlan({
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    tool: format,
    graph,
    desired,
    records: await observedRecords(cluster, seen.records, (release) => desired.has(release)),
  })
  const tasks = timedTasks(plan.actions, (release) => releases.get(release)!.timeoutSeconds)
  return {
    plan,
    run: (choices) => startRun({...choices, plan, ports, tasks, mask: preparedMask(prepared)}),
  }
}
