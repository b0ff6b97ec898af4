import {asKkError} from '../../base/errors.ts'
import {once} from '../../base/once.ts'
import {mapParallel} from '../../base/parallel.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {Palette} from '../../report/colour.ts'
import {type HeadedColumns, table} from '../../report/table.ts'
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

/** The plan of one Environment. */
export interface FleetPlan extends Pick<OperatedEnvironment, 'name' | 'cluster' | 'phase' | 'message'> {
  /** Whether the plan is from the status of the Environment, or was made for this call. */
  readonly from: 'status' | 'planned'
  /** Null if there are no changes, or if the plan is unknown. */
  readonly plan: OperatedEnvironment['plan']
  /** The command that approves it; null if it does not wait for approval. */
  readonly approve: string | null
  /** Why the plan is unknown. */
  readonly problem: string | null
}

/** Phases in which the status has the current plan. */
const REPORTED_PHASES: ReadonlySet<OperatedEnvironment['phase']> = new Set([
  ...(['ready', 'unhealthy', 'running', 'waiting', 'unapproved', 'failed', 'unreachable'] as const),
])

/**
 * Returns the plans of these Environments. Plans that are not in the status are made here, with the rights of
 * the user.
 */
export async function readFleetPlans(
  {environments}: OperatorStatus,
  hub: {readonly objects: Objects},
  connections: () => Promise<ClusterConnections>,
): Promise<readonly FleetPlan[]> {
  const objects = once(() => hub.objects.list<EnvironmentObject>(ENVIRONMENTS, KK_NAMESPACE))
  return mapParallel(environments, async (operated) => {
    const {name, cluster, phase, message, approve} = operated
    const base = {name, cluster, phase, message, approve}
    if (REPORTED_PHASES.has(phase))
      return {...base, from: 'status', plan: operated.plan, problem: null} as const
    try {
      const plan = await planEnvironment(
        (await objects())!.find(({metadata}) => metadata.name === name)!,
        hub.objects,
        await connections(),
      )
      return {...base, from: 'planned', plan: plan.actions.length > 0 ? plan : null, problem: null} as const
    } catch (error) {
      return {...base, from: 'planned', plan: null, problem: asKkError(error).message} as const
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

/**
 * Formats a table of Environments, below a warning if no operator leads. `now` is in milliseconds since the
 * epoch.
 */
export function fleetStatusText(
  {installed, leader, environments}: OperatorStatus,
  now: number,
  palette: Palette,
): View {
  if (!installed) return NOT_INSTALLED
  const warning = leader === null ? [palette.bad(NO_LEADER)] : []
  return [...warning, table(environments, fleetColumns(now, palette), {headColour: palette.quiet})]
}

/** Returns the columns of `fleetStatusText`. */
export function fleetColumns(now: number, palette: Palette): HeadedColumns<OperatedEnvironment> {
  const {quiet, strong, bad} = palette
  return {
    environment: ({name}) => strong(name),
    cluster: ({cluster}) => cluster ?? quiet(OWN_CLUSTER),
    phase: ({phase}) => phaseText(phase, palette),
    ready: ({summary}) => summary ?? '',
    'to do': ({plan, removal}) => String((plan?.actions.length ?? 0) + (removal?.releases.length ?? 0)),
    since: {cell: ({since}) => (since === null ? '' : formatAge(now, since)), whole: true},
    reachable: ({reachable}) => (reachable === null ? '' : reachable ? 'yes' : bad('no')),
    message: ({phase, message}) => (phase === 'ready' ? '' : message),
  }
}

function formatAge(now: number, since: string): string {
  return durationText(Math.max(0, now - Date.parse(since)) / 1000)
}

/** The operator's own cluster. */
const OWN_CLUSTER = '-'
export const NOT_INSTALLED = 'the operator is not installed; to install it: kk operator install\n'

/** Formats the plan of each Environment, below its name. */
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
  const origin = from === 'planned' ? ' (planned now)' : ''
  return plan ? `plan ${plan.digest.slice(0, 12)}${origin}` : `nothing to do${origin}`
}
