import {asKkError} from '../../base/errors.ts'
import {once} from '../../base/once.ts'
import {mapParallel} from '../../base/parallel.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {Palette} from '../../report/colour.ts'
import {type Columns, table} from '../../report/table.ts'
import {durationText} from '../../report/text/duration.ts'
import type {View} from '../../report/text/view.ts'
import {observedPlan} from '../../verbs/plan.ts'
import type {ClusterConnections} from '../cluster-connections.ts'
import {ENVIRONMENTS, type EnvironmentObject} from '../crds/environment.ts'
import {planDigest} from '../decision.ts'
import {readSource} from '../source.ts'
import {nextStage, resolveStops} from '../stages.ts'
import {planStatus} from '../status-writer.ts'
import {NO_LEADER, type OperatedEnvironment, type OperatorStatus, phaseText} from './status.ts'

/** What would be done for one Environment. */
export interface FleetPlan extends Pick<OperatedEnvironment, 'name' | 'cluster' | 'phase' | 'message'> {
  /** Whether the operator has told it, or it was planned for the question. */
  readonly from: 'status' | 'planned'
  /** Null where nothing is to be done, or it is not known. */
  readonly plan: OperatedEnvironment['plan']
  /** The command that lets it begin; null if it does not wait for one. */
  readonly approve: string | null
  /** Why it is not known. */
  readonly problem: string | null
}

/** The operator has told the plan of an Environment in one of these phases. */
const REPORTED_PHASES: ReadonlySet<OperatedEnvironment['phase']> = new Set([
  ...(['ready', 'unhealthy', 'running', 'waiting', 'unapproved', 'failed', 'unreachable'] as const),
])

/** Tells what would be done for these Environments. What the operator has not told is planned, with the rights of who asks. */
export async function readFleetPlans(
  {environments}: OperatorStatus,
  hub: {readonly objects: Objects},
  connections: () => Promise<ClusterConnections>,
): Promise<readonly FleetPlan[]> {
  const objects = once(() => hub.objects.list<EnvironmentObject>(ENVIRONMENTS, KK_NAMESPACE))
  return mapParallel(environments, async (operated) => {
    const {name, cluster, phase, message, approve} = operated
    const told = {name, cluster, phase, message, approve}
    if (REPORTED_PHASES.has(phase))
      return {...told, from: 'status', plan: operated.plan, problem: null} as const
    try {
      const plan = await planEnvironment(
        (await objects())!.find(({metadata}) => metadata.name === name)!,
        hub.objects,
        await connections(),
      )
      return {...told, from: 'planned', plan: plan.actions.length > 0 ? plan : null, problem: null} as const
    } catch (error) {
      return {...told, from: 'planned', plan: null, problem: asKkError(error).message} as const
    }
  })
}

async function planEnvironment(
  environment: EnvironmentObject,
  objects: Objects,
  connections: ClusterConnections,
) {
  const source = await readSource(environment, objects)
  const connection = await connections.forEnvironment(environment, async () => undefined).connect()
  const {planned} = await connection.open(environment.metadata.name, source)
  const {plan} = await observedPlan(planned, connection.cluster, {names: [], install: true})
  const {plan: next} = nextStage(plan, resolveStops(environment.spec.approval?.after, planned))
  return planStatus({plan: next, digest: planDigest(next, environment.status?.approved)})
}

/** Returns a table of Environments, one in each line, below a line that says so if nobody leads. `now` is in milliseconds since the epoch. */
export function fleetStatusText(
  {installed, leader, environments}: OperatorStatus,
  now: number,
  palette: Palette,
): View {
  const {quiet, strong, bad} = palette
  if (!installed) return NOT_INSTALLED
  const columns: Columns<OperatedEnvironment> = {
    environment: ({name}) => strong(name),
    cluster: ({cluster}) => cluster ?? quiet(OWN_CLUSTER),
    phase: ({phase}) => phaseText(phase, palette),
    ready: ({summary}) => summary ?? '',
    'to do': ({plan, removal}) => String((plan?.actions.length ?? 0) + (removal?.releases.length ?? 0)),
    since: {cell: ({since}) => (since === null ? '' : formatAge(now, since)), whole: true},
    reachable: ({reachable}) => (reachable === null ? '' : reachable ? 'yes' : bad('no')),
    message: ({phase, message}) => (phase === 'ready' ? '' : message),
  }
  return [...(leader === null ? [bad(NO_LEADER)] : []), table(environments, columns, {headColour: quiet})]
}

function formatAge(now: number, since: string): string {
  return durationText(Math.max(0, now - Date.parse(since)) / 1000)
}

/** Where the operator is. */
const OWN_CLUSTER = '-'
const NOT_INSTALLED = 'there is no operator here; to install it: kk operator install\n'

/** Returns what would be done for each Environment, below its name. */
export function fleetPlanText(plans: readonly FleetPlan[], palette: Palette): View {
  const {quiet, strong, bad, change} = palette
  return plans.flatMap(({name, cluster, phase, plan, approve, problem, from, message}) => [
    [
      strong(name),
      cluster ?? quiet(OWN_CLUSTER),
      phaseText(phase, palette),
      planHead(plan, {from, problem}),
    ].join('  '),
    ...(problem === null ? [] : [`  ${bad(problem)}`]),
    ...(phase === 'waiting' || phase === 'unreachable' ? [`  ${message}`] : []),
    ...(plan?.actions ?? []).map((action) => `  ${action}`),
    ...(approve === null ? [] : [`  ${change('to approve it:')} ${approve}`]),
  ])
}

function planHead(plan: FleetPlan['plan'], {from, problem}: Pick<FleetPlan, 'from' | 'problem'>): string {
  if (problem !== null) return 'no plan'
  const by = from === 'planned' ? ' (planned now)' : ''
  return plan ? `plan ${plan.digest.slice(0, 12)}${by}` : `nothing to do${by}`
}
