import type {KkError} from '../base/errors.ts'
import {describeCause} from '../kubernetes/gate/cause.ts'
import {type PassedHealth, passes} from '../kubernetes/gate/health.ts'
import {type Action, isChange} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import {counted} from '../report/text/list.ts'
import {type Progress, type RunState, releasesIn} from '../run/run-state.ts'
import type {ReleaseStatus} from '../verbs/observation/release-status.ts'
import type {Condition, ConditionInput} from './crds/conditions.ts'
import type {Planned} from './decision.ts'
import type {PredecessorWait} from './predecessors.ts'

/** How far an Environment is. */
export type EnvironmentState =
  /** Nothing is changed, and nothing of the operator runs. */
  | {readonly kind: 'paused'}
  /** Its inputs, or the cluster, do not allow a plan; `isFinal` if only a change of them helps. */
  | {readonly kind: 'unplanned'; readonly error: KkError; readonly isFinal: boolean}
  /** Its cluster, another one, does not answer. */
  | {readonly kind: 'unreachable'; readonly error: KkError}
  /** What is to be begun comes after other Environments. */
  | (ObservedReleases & {readonly kind: 'waiting'; readonly predecessorWait: PredecessorWait})
  | (ObservedReleases & {readonly kind: 'unapproved'; readonly actions: readonly Action[]})
  | (ObservedReleases & {readonly kind: 'held'; readonly failure: string})
  | {readonly kind: 'running'; readonly planned: Planned; readonly run: RunState}
  /** What the file names no more is being removed. */
  | (ObservedReleases & {readonly kind: 'removing'; readonly run: RunState})
  | (ObservedReleases & {
      readonly kind: 'deployed'
      /** The digest of the file and the overrides; see `sourceDigest`. */
      readonly source: string
      readonly unwanted?: Unwanted
      /** What is known of objects that are not as the manifests say. */
      readonly drift?: ConditionInput | undefined
    })

/** What the file names no more. */
export interface Unwanted {
  /** The digest that an approval of the removal names. */
  readonly digest: string
  /** Those that may go. */
  readonly releases: readonly ReleaseId[]
  /** Those that stay, each with the reason: `openstack/mariadb: protected`. */
  readonly kept: readonly string[]
}

/** The releases of a plan as they are now. */
export interface ObservedReleases {
  readonly planned: Planned
  readonly releases: readonly ReleaseStatus[]
}

/** The account of the operator has the rights that it was installed with. */
const MISSING_RIGHTS_HINT =
  'kk operator install gives the operator its rights: --namespace for each namespace of releases, --removal to remove, --cluster-objects for objects of the whole cluster'

/** Returns what the conditions of an Environment say. `Ready` is true only where every gate would pass now. */
export function environmentConditions(name: string, state: EnvironmentState): readonly ConditionInput[] {
  const notPaused = condition('Paused', 'False', 'Driven', 'the operator drives this environment')
  switch (state.kind) {
    case 'paused': {
      const message = 'suspended: the operator changes nothing'
      return [
        condition('Ready', 'Unknown', 'Suspended', message),
        condition('Paused', 'True', 'Suspended', message),
      ]
    }
    case 'unplanned': {
      const {code, message} = state.error
      const hint = code === 'KK_FORBIDDEN' ? MISSING_RIGHTS_HINT : state.error.hint
      const text = hint === undefined ? message : `${message}; ${hint}`
      return [
        condition('Ready', 'False', code, text),
        condition(state.isFinal ? 'Stalled' : 'Reconciling', 'True', code, text),
        condition('Planned', 'False', code, text),
        notPaused,
      ]
    }
    case 'unreachable': {
      const {code, message} = state.error
      return [condition('Ready', 'Unknown', code, message), notPaused]
    }
    case 'waiting': {
      const {message} = state.predecessorWait
      return [
        condition('Ready', 'False', 'WaitingForEnvironments', message),
        reconcilingCondition('WaitingForEnvironments', message),
        plannedCondition(state.planned),
        notPaused,
      ]
    }
    case 'unapproved': {
      const {planned, actions} = state
      const {after} = planned.stage
      const where = after === undefined ? '' : `stopped after ${after}: `
      const message = `${where}${counted(actions.length, 'action')} of the plan ${actions.length === 1 ? 'needs' : 'need'} approval: kk operator approve ${name} ${planned.digest}`
      return [
        condition('Ready', 'False', 'WaitingForApproval', message),
        plannedCondition(planned),
        condition('Approved', 'False', 'WaitingForApproval', message),
        notPaused,
      ]
    }
    case 'held': {
      const message = `${state.failure}; to try again, change the inputs, or: kk operator retry ${name}`
      return [
        condition('Ready', 'False', 'Failed', message),
        condition('Stalled', 'True', 'Failed', message),
        plannedCondition(state.planned),
        notPaused,
      ]
    }
    case 'running': {
      const message = describeRun(state.run)
      return [
        condition('Ready', 'False', 'Running', message),
        condition('Reconciling', 'True', 'Running', message),
        plannedCondition(state.planned),
        notPaused,
      ]
    }
    case 'removing': {
      const message = describeRun(state.run)
      return [
        condition('Ready', 'False', 'Removing', message),
        condition('Reconciling', 'True', 'Removing', message),
        plannedCondition(state.planned),
        notPaused,
      ]
    }
    case 'deployed': {
      const {releases, planned, unwanted, drift} = state
      const left = unwanted ? [unwantedCondition(name, unwanted)] : []
      const drifted = drift ? [drift] : []
      return [deployedCondition(releases), plannedCondition(planned), notPaused, ...left, ...drifted]
    }
  }
}

/** So long what was known of a cluster counts though it does not answer, in milliseconds. */
const UNREACHABLE_GRACE_MS = 600_000

interface EarlierConditions {
  readonly generation: number
  readonly conditions: readonly Condition[]
  /** In milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns what is known of an Environment whose cluster does not answer: for ten minutes what was known before, if that was
 * said of what it is now to be. Undefined once it is not known any more.
 */
export function conditionsWhileUnreachable({
  generation,
  conditions,
  now,
}: EarlierConditions): readonly ConditionInput[] | undefined {
  const lost = conditions.find(({type, status}) => type === 'Reachable' && status === 'False')
  const ready = conditions.find(({type}) => type === 'Ready')
  const isOver = lost !== undefined && Date.parse(lost.lastTransitionTime) + UNREACHABLE_GRACE_MS <= now
  if (isOver || !ready || ready.observedGeneration !== generation) return undefined
  return conditions
    .filter(({type}) => type !== 'Reachable')
    .map(({type, status, reason, message}) => condition(type, status, reason, message))
}

/** Returns what the conditions of a Release say while its run is under way. */
export function progressConditions(progress: Progress): readonly ConditionInput[] {
  const ready = (status: ConditionInput['status'], reason: string, message: string) =>
    condition('Ready', status, reason, message)
  switch (progress.state) {
    case 'unchanged':
    case 'succeeded':
      return [passedCondition(progress.state === 'succeeded' ? progress.health : undefined)]
    case 'waiting':
      return [ready('False', 'Waiting', 'waits for what it requires'), reconcilingCondition('Waiting')]
    case 'running': {
      const {phase, message, blames} = progress
      const text = blames[0] ? describeCause(blames[0]) : `${phase} ${message}`.trim() || 'has begun'
      return [ready('False', 'Running', text), reconcilingCondition('Running')]
    }
    case 'failed':
      return [
        ready('False', progress.error.code, progress.error.message),
        condition('Stalled', 'True', progress.error.code, progress.error.message),
      ]
    case 'skipped': {
      const why = progress.because === undefined ? progress.reason : `${progress.because} has failed`
      return [ready('False', 'Skipped', `not begun: ${why}`)]
    }
  }
}

/** Returns what the condition of a Release says of its health now. */
export function healthCondition({health, inputs}: ReleaseStatus): ConditionInput {
  if (!health) return condition('Ready', 'False', 'NotInstalled', 'not installed')
  if (passes(health))
    // The inputs of what another environment owns are not this one's to judge.
    return inputs === 'changed'
      ? condition('Ready', 'False', 'Outdated', `${health.state}, but not as the environment wants it`)
      : passedCondition(health)
  const [first] = health.blames
  const text = first ? describeCause(first) : 'not healthy'
  return health.state === 'unknown'
    ? condition('Ready', 'Unknown', 'NotKnown', text)
    : condition('Ready', 'False', 'Unhealthy', text)
}

/** Its gate has passed; the reason says whether all of it is of its current version. */
function passedCondition({state, notes = []}: PassedHealth = {state: 'healthy'}): ConditionInput {
  const text = [state, ...notes.map(describeCause)].join('; ')
  return condition('Ready', 'True', state === 'partial' ? 'Partial' : 'Healthy', text)
}

function deployedCondition(releases: readonly ReleaseStatus[]): ConditionInput {
  const ill = releases.filter((release) => healthCondition(release).status !== 'True')
  const [first] = ill
  const partial = releases.filter(({health}) => health?.state === 'partial').map(({release}) => release)
  if (!first && partial.length > 0)
    return condition('Ready', 'True', 'Partial', `every gate has passed; partial: ${partial.join(', ')}`)
  if (!first) return condition('Ready', 'True', 'Healthy', 'every release is healthy')
  const others = ill.length === 1 ? '' : `, and ${counted(ill.length - 1, 'more release')}`
  return condition(
    'Ready',
    'False',
    'Unhealthy',
    `${first.release}: ${healthCondition(first).message}${others}`,
  )
}

function unwantedCondition(name: string, {digest, releases, kept}: Unwanted): ConditionInput {
  if (releases.length === 0)
    return condition('Unwanted', 'True', 'Kept', `no longer wanted, and kept: ${kept.join('; ')}`)
  const message = `no longer wanted: ${releases.join(', ')}; to remove what is listed: kk operator approve ${name} ${digest}`
  return condition('Unwanted', 'True', 'WaitingForApproval', message)
}

function plannedCondition({plan}: Planned): ConditionInput {
  const changes = plan.actions.filter(isChange).length
  return condition(
    'Planned',
    'True',
    'Planned',
    changes === 0 ? 'nothing is to be done' : counted(changes, 'action'),
  )
}

function describeRun(run: RunState): string {
  const failed = releasesIn(run, 'failed')
  const running = releasesIn(run, 'running').map(({release}) => release)
  const parts = [
    ...failed.map(({release, progress}) => `${release} has failed: ${progress.error.message}`),
    ...(running.length > 0 ? [`at work on ${running.join(', ')}`] : []),
  ]
  return parts.join('; ') || 'a run is under way'
}

function reconcilingCondition(reason: string, message = 'a run is under way'): ConditionInput {
  return condition('Reconciling', 'True', reason, message)
}

function condition(
  type: string,
  status: ConditionInput['status'],
  reason: string,
  message: string,
): ConditionInput {
  return {type, status, reason, message}
}
