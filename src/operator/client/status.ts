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

/** The state of an Environment in one word. */
type EnvironmentPhase =
  /** The operator has not observed the current generation yet. */
  | 'unseen'
  | 'ready'
  /** Deployed, but a gate does not pass. */
  | 'unhealthy'
  | 'running'
  /** A transient failure is retried automatically. */
  | 'retrying'
  /** Its cluster does not answer. */
  | 'unreachable'
  /** Its plan waits for Environments of `spec.after`. */
  | 'waiting'
  | 'unapproved'
  | 'failed'
  /** Planning has failed, and only a change of the inputs helps. */
  | 'stalled'
  | 'paused'

/** The status of the operator and its Environments. */
export interface OperatorStatus {
  /** Whether the cluster has the CRDs of the operator. */
  readonly installed: boolean
  /** The leader; null without one. */
  readonly leader: string | null
  readonly environments: readonly OperatedEnvironment[]
}

export interface OperatedEnvironment {
  readonly name: string
  /** The Secret with the kubeconfig of the cluster of its releases; null for the operator's own cluster. */
  readonly cluster: string | null
  /** Whether that cluster answers; null if unknown. */
  readonly reachable: boolean | null
  /** The last transition of the condition `Ready`; null without it. */
  readonly since: string | null
  readonly phase: EnvironmentPhase
  readonly message: string
  /** The number of ready releases of all releases, such as `3/4`; null before the first plan. */
  readonly summary: string | null
  readonly plan: NonNullable<EnvironmentStatus['plan']> | null
  /** Releases that are no longer in the file; null without any. */
  readonly removal: NonNullable<EnvironmentStatus['removal']> | null
  /** The command that approves a waiting plan or removal; null if none waits. */
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

/** Selects Environments; all by default. */
export interface EnvironmentSelection {
  readonly names?: readonly string[]
  /** A label selector, as in kubectl. */
  readonly selector?: string | undefined
}

/** Rejects with `KK_USAGE` for an invalid label selector. */
function unlessSelector(selector: string | undefined): (error: unknown) => never {
  return (error) => {
    if (selector === undefined || !isApiError(error, 400)) throw error
    throw new KkError('KK_USAGE', `--selector ${selector}: ${error.serverMessage ?? 'no labels'}`, {
      cause: error,
      hint: "as kubectl's, for example: --selector region=north,tier!=test",
    })
  }
}

/**
 * Reads the status of all or of the selected Environments. Throws `KK_NO_OPERATED` for an unknown name, and
 * `KK_KINDS`.
 */
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
  const selected = environments?.filter(({metadata}) => names.length === 0 || names.includes(metadata.name))
  const leads = lease?.runsOut !== undefined && lease.runsOut > cluster.leases.now()
  return {
    installed: environments !== undefined,
    leader: (leads && lease.holder) || null,
    environments: (selected ?? []).map((environment) =>
      operatedEnvironment(
        environment,
        (releases ?? []).filter(
          ({metadata}) => metadata.labels?.[ENVIRONMENT_LABEL] === environment.metadata.name,
        ),
      ),
    ),
  }
}

/** Returns whether every Environment is ready or paused. */
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

const UNSEEN = 'the operator has not observed the current generation yet'

/** Derives the phase from the reasons that `environmentConditions` sets. */
function derivePhase({status, reason}: Condition, conditions: readonly Condition[]): EnvironmentPhase {
  if (
    conditions.some((each) => each.type === 'Reachable' && each.status === 'False') &&
    reason !== 'Suspended'
  )
    return 'unreachable'
  if (status === 'True') return 'ready'
  const phase = PHASES[reason]
  if (phase) return phase
  return conditions.some(({type}) => type === 'Stalled') ? 'stalled' : 'retrying'
}

const PHASES: Readonly<Record<string, EnvironmentPhase>> = {
  Suspended: 'paused',
  WaitingForApproval: 'unapproved',
  WaitingForEnvironments: 'waiting',
  Failed: 'failed',
  Running: 'running',
  Testing: 'running',
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

/** The message without a leader. */
export const NO_LEADER = `no operator leads: nothing is reconciled; see its pods: kubectl get pods -n ${KK_NAMESPACE}`

/**
 * Formats the status: of each Environment its plan, what waits for approval, and its releases that are not
 * ready.
 */
export function operatorStatusText(
  {installed, leader, environments}: OperatorStatus,
  palette: Palette,
): View {
  if (!installed) return 'the operator is not installed; to install it: kk operator install\n'
  const head = leader === null ? palette.bad(NO_LEADER) : `${palette.quiet('leads:')} ${leader}`
  const none = environments.length === 0 ? ['no Environments; to create one: kk operator adopt FILE'] : []
  return [head, ...none, ...environments.flatMap((each) => environmentParts(each, palette))]
}

function environmentParts(
  {name, phase, message, summary, plan, removal, approve, conditions, releases}: OperatedEnvironment,
  palette: Palette,
): readonly Part[] {
  const {bad, change, quiet, strong} = palette
  const notReady = releases.filter(({ready}) => ready !== 'True' && phase !== 'paused')
  const drift = conditions.find(({type, reason}) => type === 'Drifted' && reason !== 'AsDeployed')
  const digest = plan ? [`  plan ${plan.digest}`] : []
  return [
    [strong(name), phaseText(phase, palette), ...(summary === null ? [] : [summary]), message].join('  '),
    ...digest,
    ...(plan?.actions ?? []).map((action) => `    ${action}`),
    ...(plan?.notes ?? []).map((note) => `  note: ${note}`),
    ...(removal?.releases.length
      ? [`  no longer wanted, would be removed: ${removal.releases.join(', ')}`]
      : []),
    ...(removal?.kept ?? []).map((kept) => `  no longer wanted, stays: ${kept}`),
    ...(drift ? [`  drift: ${drift.message}`] : []),
    ...(approve === null ? [] : [`  ${change('to approve it:')} ${approve}`]),
    list(notReady, [
      ({reason}) => (reason !== null && IN_PROGRESS.has(reason) ? quiet('-') : bad('!')),
      ({release}) => release,
      ({reason}) => quiet(reason ?? 'Unknown'),
      ({message: reason}) => reason ?? '',
    ]),
  ]
}

/** The reasons of releases in a run in progress; see `progressConditions`. */
const IN_PROGRESS: ReadonlySet<string> = new Set(['Waiting', 'Running'])
const BAD: ReadonlySet<EnvironmentPhase> = new Set(['failed', 'stalled', 'unhealthy', 'unreachable'])

/** Formats the phase with its colour. */
export function phaseText(phase: EnvironmentPhase, {good, bad, change}: Palette): string {
  return (phase === 'ready' ? good : BAD.has(phase) ? bad : change)(phase)
}
