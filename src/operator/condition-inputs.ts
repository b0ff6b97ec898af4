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

/** The state of an Environment, from which its conditions are derived. */
export type EnvironmentState =
  /** Suspended; no process of the operator changes it. */
  | {readonly kind: 'paused'}
  /** Planning has failed; `isFinal` if only a change of the inputs or the cluster helps. */
  | {readonly kind: 'unplanned'; readonly error: KkError; readonly isFinal: boolean}
  /** Its cluster, which is not the operator's own, does not answer. */
  | {readonly kind: 'unreachable'; readonly error: KkError}
  /** The start of its plan waits for Environments of `spec.after`. */
  | (ObservedReleases & {readonly kind: 'waiting'; readonly predecessorWait: PredecessorWait})
  | (ObservedReleases & {readonly kind: 'unapproved'; readonly actions: readonly Action[]})
  | (ObservedReleases & {readonly kind: 'held'; readonly failure: string})
  /** The tests of its releases are running; see `spec.approval.test`. */
  | (ObservedReleases & {readonly kind: 'testing'; readonly test: RunState})
  | {readonly kind: 'running'; readonly planned: Planned; readonly run: RunState}
  /** Releases that are no longer in the environment file are being removed. */
  | (ObservedReleases & {readonly kind: 'removing'; readonly run: RunState})
  | (ObservedReleases & {
      readonly kind: 'deployed'
      /** The digest of the file and the overrides; see `sourceDigest`. */
      readonly source: string
      readonly unwanted?: Unwanted
      /** The condition `Drifted`; undefined before the first check. */
      readonly drift?: ConditionInput | undefined
    })

/** Releases that are no longer in the environment file. */
export interface Unwanted {
  /** The digest that approves the removal. */
  readonly digest: string
  /** Releases that can be removed. */
  readonly releases: readonly ReleaseId[]
  /** Releases that stay, each with the reason: `openstack/mariadb: protected`. */
  readonly kept: readonly string[]
}

/** The observed status of the releases of a plan. */
export interface ObservedReleases {
  readonly planned: Planned
  readonly releases: readonly ReleaseStatus[]
}

/** The hint for `KK_FORBIDDEN`: the rights of the operator's account are set at its installation. */
export const MISSING_RIGHTS_HINT =
  'kk operator install gives the operator its rights: --namespace for each namespace of releases, --removal to remove, --node-operations for NodeOperations, --cluster-objects for objects of the whole cluster'

/** Returns the conditions of an Environment. `Ready` is true only if every gate would pass now. */
export function environmentConditions(name: string, state: EnvironmentState): readonly ConditionInput[] {
  const notPaused = condition('Paused', 'False', 'Driven', 'the operator manages this environment')
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
      const position = after === undefined ? '' : `stopped after ${after}: `
      const message = `${position}${counted(actions.length, 'action')} of the plan ${actions.length === 1 ? 'needs' : 'need'} approval: kk operator approve ${name} ${planned.digest}`
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
    case 'testing': {
      const message = describeTests(state.test)
      return [
        condition('Ready', 'False', 'Testing', message),
        reconcilingCondition('Testing', message),
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
      const unwantedConditions = unwanted ? [unwantedCondition(name, unwanted)] : []
      const drifted = drift ? [drift] : []
      return [
        deployedCondition(releases),
        plannedCondition(planned),
        notPaused,
        ...unwantedConditions,
        ...drifted,
      ]
    }
  }
}

/** How long the last conditions stay valid while a cluster does not answer. */
const UNREACHABLE_GRACE_MS = 600_000

interface EarlierConditions {
  readonly generation: number
  readonly conditions: readonly Condition[]
  /** In milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns the conditions of an Environment whose cluster does not answer: the last ones for ten minutes, if
 * they are of the current generation. Undefined if they are outdated.
 */
export function conditionsWhileUnreachable({
  generation,
  conditions,
  now,
}: EarlierConditions): readonly ConditionInput[] | undefined {
  const lost = conditions.find(({type, status}) => type === 'Reachable' && status === 'False')
  const ready = conditions.find(({type}) => type === 'Ready')
  const isExpired = lost !== undefined && Date.parse(lost.lastTransitionTime) + UNREACHABLE_GRACE_MS <= now
  if (isExpired || !ready || ready.observedGeneration !== generation) return undefined
  return conditions
    .filter(({type}) => type !== 'Reachable')
    .map(({type, status, reason, message}) => condition(type, status, reason, message))
}

/** Returns the conditions of a Release during a run. */
export function progressConditions(progress: Progress): readonly ConditionInput[] {
  const ready = (status: ConditionInput['status'], reason: string, message: string) =>
    condition('Ready', status, reason, message)
  switch (progress.state) {
    case 'unchanged':
    case 'succeeded':
      return [passedCondition(progress.state === 'succeeded' ? progress.health : undefined)]
    case 'waiting':
      return [
        ready('False', 'Waiting', 'waiting for the releases that it requires'),
        reconcilingCondition('Waiting'),
      ]
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

/** Returns the condition `Ready` of a Release from its current health. */
export function healthCondition({health, inputs}: ReleaseStatus): ConditionInput {
  if (!health) return condition('Ready', 'False', 'NotInstalled', 'not installed')
  if (passes(health))
    // For releases of another environment the inputs are not compared.
    return inputs === 'changed'
      ? condition('Ready', 'False', 'Outdated', `${health.state}, but not deployed with the current inputs`)
      : passedCondition(health)
  const [first] = health.blames
  const text = first ? describeCause(first) : 'not healthy'
  return health.state === 'unknown'
    ? condition('Ready', 'Unknown', 'NotKnown', text)
    : condition('Ready', 'False', 'Unhealthy', text)
}

/**
 * Returns the condition of a passed gate; the reason is `Partial` if not all pods have the current version.
 */
function passedCondition({state, notes = []}: PassedHealth = {state: 'healthy'}): ConditionInput {
  const text = [state, ...notes.map(describeCause)].join('; ')
  return condition('Ready', 'True', state === 'partial' ? 'Partial' : 'Healthy', text)
}

function deployedCondition(releases: readonly ReleaseStatus[]): ConditionInput {
  const unhealthy = releases.filter((release) => healthCondition(release).status !== 'True')
  const [first] = unhealthy
  const partial = releases.filter(({health}) => health?.state === 'partial').map(({release}) => release)
  if (!first && partial.length > 0)
    return condition('Ready', 'True', 'Partial', `every gate has passed; partial: ${partial.join(', ')}`)
  if (!first) return condition('Ready', 'True', 'Healthy', 'every release is healthy')
  const more = unhealthy.length === 1 ? '' : `, and ${counted(unhealthy.length - 1, 'more release')}`
  return condition(
    'Ready',
    'False',
    'Unhealthy',
    `${first.release}: ${healthCondition(first).message}${more}`,
  )
}

function unwantedCondition(name: string, {digest, releases, kept}: Unwanted): ConditionInput {
  if (releases.length === 0)
    return condition('Unwanted', 'True', 'Kept', `no longer wanted, and kept: ${kept.join('; ')}`)
  const message = `no longer wanted: ${releases.join(', ')}; to remove them: kk operator approve ${name} ${digest}`
  return condition('Unwanted', 'True', 'WaitingForApproval', message)
}

function plannedCondition({plan}: Planned): ConditionInput {
  const changes = plan.actions.filter(isChange).length
  return condition('Planned', 'True', 'Planned', changes === 0 ? 'no changes' : counted(changes, 'action'))
}

function describeRun(run: RunState): string {
  const failed = releasesIn(run, 'failed')
  const running = releasesIn(run, 'running').map(({release}) => release)
  const parts = [
    ...failed.map(({release, progress}) => `${release} has failed: ${progress.error.message}`),
    ...(running.length > 0 ? [`deploying ${running.join(', ')}`] : []),
  ]
  return parts.join('; ') || 'a run is in progress'
}

function describeTests(run: RunState): string {
  const running = releasesIn(run, 'running').map(({release}) => release)
  return running.length > 0 ? `testing ${running.join(', ')}` : 'tests are in progress'
}

export function reconcilingCondition(reason: string, message = 'a run is in progress'): ConditionInput {
  return condition('Reconciling', 'True', reason, message)
}

export function condition(
  type: string,
  status: ConditionInput['status'],
  reason: string,
  message: string,
): ConditionInput {
  return {type, status, reason, message}
}
