import {KkError} from '../../base/errors.ts'
import {isApiError} from '../../kubernetes/api/api-error.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {Palette} from '../../report/colour.ts'
import {list} from '../../report/table.ts'
import type {Part, View} from '../../report/text/view.ts'
import {OPERATOR_LEASE} from '../apply-cache.ts'
import type {Condition} from '../crds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from '../crds/environment.ts'
import {
  ENVIRONMENT_LABEL,
  RELEASES,
  type ReleaseSpec,
  type ReleaseStatus as RowStatus,
} from '../crds/release.ts'
import {expectServed} from '../crds/versions.ts'
import {unknownEnvironment} from './environment-commands.ts'

/** How an Environment is, in one word. */
type EnvironmentPhase =
  /** The operator has not said anything about it as it is now. */
  | 'unseen'
  | 'ready'
  /** A gate is closed, though nothing is to be done. */
  | 'unhealthy'
  | 'running'
  /** What stands in its way may pass by itself. */
  | 'retrying'
  /** Its cluster does not answer. */
  | 'unreachable'
  /** What is to be begun comes after other Environments. */
  | 'waiting'
  | 'unapproved'
  | 'failed'
  /** Its inputs allow no plan. */
  | 'stalled'
  | 'paused'

/** What the operator drives, and how that is. */
export interface OperatorStatus {
  /** Whether the cluster knows the kinds of the operator. */
  readonly installed: boolean
  /** The process that leads; null while none does. */
  readonly leader: string | null
  readonly environments: readonly OperatedEnvironment[]
}

export interface OperatedEnvironment {
  readonly name: string
  /** The Secret with the kubeconfig of the cluster that has its releases; null for the cluster of the operator. */
  readonly cluster: string | null
  /** Whether that cluster answers; null where it was not asked. */
  readonly reachable: boolean | null
  /** Since when it is ready, or is not; null before it was seen. */
  readonly since: string | null
  readonly phase: EnvironmentPhase
  readonly message: string
  /** How many releases are as they should be, of how many; null before the first plan. */
  readonly summary: string | null
  readonly plan: NonNullable<EnvironmentStatus['plan']> | null
  /** What the file names no more, and what of it would go; null if there is nothing. */
  readonly removal: NonNullable<EnvironmentStatus['removal']> | null
  /** The command that lets a plan, or a removal, begin that waits; null if none does. */
  readonly approve: string | null
  readonly conditions: readonly Condition[]
  readonly releases: readonly OperatedRelease[]
}

interface OperatedRelease {
  readonly release: string
  readonly chart: string
  readonly revision: number | null
  readonly action: string
  readonly ready: Condition['status']
  readonly reason: string | null
  readonly message: string | null
}

interface ReleaseRow {
  readonly metadata: {readonly name: string; readonly labels?: Readonly<Record<string, string>>}
  readonly spec: ReleaseSpec
  readonly status?: RowStatus
}

/** Which Environments are asked for; all, where nothing is said. */
export interface EnvironmentSelection {
  readonly names?: readonly string[]
  /** By their labels, as kubectl selects them. */
  readonly selector?: string | undefined
}

/** Rejects with `KK_USAGE` for labels that the API server cannot read. */
function unlessSelector(selector: string | undefined): (error: unknown) => never {
  return (error) => {
    if (selector === undefined || !isApiError(error, 400)) throw error
    throw new KkError('KK_USAGE', `--selector ${selector}: ${error.serverMessage ?? 'no labels'}`, {
      cause: error,
      hint: "as kubectl's, for example: --selector region=north,tier!=test",
    })
  }
}

/** Reads what the operator drives, or some Environments of it. Throws `KK_NO_OPERATED` for a name that is not there, and `KK_KINDS`. */
export async function readOperatorStatus(
  cluster: {readonly objects: Objects; readonly apiServer: ApiServer; readonly leases: Leases},
  {names = [], selector}: EnvironmentSelection = {},
): Promise<OperatorStatus> {
  const [environments, releases, lease] = await Promise.all([
    cluster.objects
      .list<EnvironmentObject>(ENVIRONMENTS, KK_NAMESPACE, selector)
      .catch(unlessSelector(selector)),
    cluster.objects.list<ReleaseRow>(RELEASES, KK_NAMESPACE),
    cluster.leases.read(OPERATOR_LEASE),
  ])
  if (environments === undefined) await expectServed(cluster.apiServer)
  const unknown = names.find((name) => !environments?.some(({metadata}) => metadata.name === name))
  if (unknown !== undefined) throw unknownEnvironment(unknown)
  const asked = environments?.filter(({metadata}) => names.length === 0 || names.includes(metadata.name))
  const leads = lease?.runsOut !== undefined && lease.runsOut > cluster.leases.now()
  return {
    installed: environments !== undefined,
    leader: (leads && lease.holder) || null,
    environments: (asked ?? []).map((environment) =>
      operatedEnvironment(
        environment,
        (releases ?? []).filter(
          ({metadata}) => metadata.labels?.[ENVIRONMENT_LABEL] === environment.metadata.name,
        ),
      ),
    ),
  }
}

/** Whether nobody has to look: what is paused is in the hands of somebody. */
export function isHealthy({environments}: OperatorStatus): boolean {
  return environments.every(({phase}) => phase === 'ready' || phase === 'paused')
}

function operatedEnvironment(
  {metadata: {name, generation = 1}, spec, status = {}}: EnvironmentObject,
  rows: readonly ReleaseRow[],
): OperatedEnvironment {
  const {conditions = [], summary, plan, removal, observedGeneration = 0} = status
  const ready = conditions.find(({type}) => type === 'Ready')
  const reachable = conditions.find(({type}) => type === 'Reachable')
  const phase = ready && observedGeneration >= generation ? derivePhase(ready, conditions) : 'unseen'
  const unapproved = phase === 'unapproved' ? plan : removal?.releases.length ? removal : undefined
  return {
    name,
    cluster: spec.cluster?.kubeconfigSecret ?? null,
    reachable: reachable ? reachable.status === 'True' : null,
    since: ready?.lastTransitionTime ?? null,
    phase,
    message: phase === 'unseen' ? UNSEEN : (phase === 'unreachable' ? reachable! : ready!).message,
    summary: summary ?? null,
    plan: plan && plan.actions.length > 0 ? plan : null,
    removal: removal ?? null,
    approve: unapproved ? `kk operator approve ${name} ${unapproved.digest}` : null,
    conditions,
    releases: rows.map(operatedRelease),
  }
}

const UNSEEN = 'the operator has not seen it yet as it is now'

/** By the reasons that `environmentFindings` gives. */
function derivePhase({status, reason}: Condition, conditions: readonly Condition[]): EnvironmentPhase {
  if (
    conditions.some((each) => each.type === 'Reachable' && each.status === 'False') &&
    reason !== 'Suspended'
  )
    return 'unreachable'
  if (status === 'True') return 'ready'
  const known = PHASES[reason]
  if (known) return known
  return conditions.some(({type}) => type === 'Stalled') ? 'stalled' : 'retrying'
}

const PHASES: Readonly<Record<string, EnvironmentPhase>> = {
  Suspended: 'paused',
  WaitingForApproval: 'unapproved',
  WaitingForEnvironments: 'waiting',
  Failed: 'failed',
  Running: 'running',
  Removing: 'running',
  Unhealthy: 'unhealthy',
}

function operatedRelease({spec, status = {}}: ReleaseRow): OperatedRelease {
  const ready = status.conditions?.find(({type}) => type === 'Ready')
  return {
    release: `${spec.release.namespace}/${spec.release.name}`,
    chart: spec.chart.name,
    revision: status.revision ?? null,
    action: spec.action,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? null,
    message: ready?.message ?? null,
  }
}

/** Said while no process of the operator leads. */
export const NO_LEADER = `no operator leads: nothing is driven; see its pods: kubectl get pods -n ${KK_NAMESPACE}`

/** Returns the status as text: of each Environment what is to be done, what waits, and which releases are not well. */
export function operatorStatusText(
  {installed, leader, environments}: OperatorStatus,
  palette: Palette,
): View {
  if (!installed) return 'there is no operator here; to install it: kk operator install\n'
  const head = leader === null ? palette.bad(NO_LEADER) : `${palette.quiet('leads:')} ${leader}`
  const none =
    environments.length === 0 ? ['nothing is driven; hand an environment over: kk operator adopt FILE'] : []
  return [head, ...none, ...environments.flatMap((each) => environmentParts(each, palette))]
}

function environmentParts(
  {name, phase, message, summary, plan, removal, approve, conditions, releases}: OperatedEnvironment,
  palette: Palette,
): readonly Part[] {
  const {bad, change, quiet, strong} = palette
  const ill = releases.filter(({ready}) => ready !== 'True' && phase !== 'paused')
  const drift = conditions.find(({type, reason}) => type === 'Drifted' && reason !== 'AsDeployed')
  const digest = plan ? [`  plan ${plan.digest}`] : []
  return [
    [strong(name), phaseText(phase, palette), ...(summary === null ? [] : [summary]), message].join('  '),
    ...digest,
    ...(plan?.actions ?? []).map((action) => `    ${action}`),
    ...(plan?.notes ?? []).map((note) => `  note: ${note}`),
    ...(removal?.releases.length ? [`  no longer wanted, would go: ${removal.releases.join(', ')}`] : []),
    ...(removal?.kept ?? []).map((kept) => `  no longer wanted, stays: ${kept}`),
    ...(drift ? [`  drift: ${drift.message}`] : []),
    ...(approve === null ? [] : [`  ${change('to approve it:')} ${approve}`]),
    list(ill, [
      ({reason}) => (reason !== null && UNDER_WAY.has(reason) ? quiet('-') : bad('!')),
      ({release}) => release,
      ({reason}) => quiet(reason ?? 'Unknown'),
      ({message: why}) => why ?? '',
    ]),
  ]
}

/** The reasons of releases that a run has not done with; see `progressFindings`. */
const UNDER_WAY: ReadonlySet<string> = new Set(['Waiting', 'Running'])
const BAD: ReadonlySet<EnvironmentPhase> = new Set(['failed', 'stalled', 'unhealthy', 'unreachable'])

/** Returns the phase in the colour that it is shown in. */
export function phaseText(phase: EnvironmentPhase, {good, bad, change}: Palette): string {
  return (phase === 'ready' ? good : BAD.has(phase) ? bad : change)(phase)
}
