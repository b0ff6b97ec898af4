import type {KkError} from '../base/errors.ts'
import {describeCause} from '../kubernetes/gate/cause.ts'
import {type PassedHealth, passes} from '../kubernetes/gate/health.ts'
import {type Action, isChange} from '../plan/plan.ts'
import type {ReleaseId} from '../release.ts'
import {counted} from '../report/text/list.ts'
import {type Progress, type RunState, releasesIn} from '../run/run-state.ts'
import type {ReleaseStatus} from '../verbs/observation/release-status.ts'
import type {Awaited} from './after.ts'
import type {Planned} from './decide.ts'
import type {Condition, Finding} from './kinds/conditions.ts'

/** How far an Environment is. */
export type Phase =
  /** Nothing is changed, and nothing of the operator runs. */
  | {readonly kind: 'paused'}
  /** Its inputs, or the cluster, do not allow a plan; `isFinal` if only a change of them helps. */
  | {readonly kind: 'unplanned'; readonly error: KkError; readonly isFinal: boolean}
  /** Its cluster, another one, does not answer. */
  | {readonly kind: 'unreachable'; readonly error: KkError}
  /** What is to be begun comes after other Environments. */
  | (Seen & {readonly kind: 'waiting'; readonly awaited: Awaited})
  | (Seen & {readonly kind: 'unapproved'; readonly actions: readonly Action[]})
  | (Seen & {readonly kind: 'held'; readonly failure: string})
  | {readonly kind: 'running'; readonly planned: Planned; readonly run: RunState}
  /** What the file names no more is being removed. */
  | (Seen & {readonly kind: 'removing'; readonly run: RunState})
  | (Seen & {
      readonly kind: 'deployed'
      /** The digest of the file and the overrides; see `sourceDigest`. */
      readonly source: string
      readonly unwanted?: Unwanted
      /** What is known of objects that are not as the manifests say. */
      readonly drift?: Finding | undefined
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
export interface Seen {
  readonly planned: Planned
  readonly releases: readonly ReleaseStatus[]
}

/** The account of the operator has the rights that it was installed with. */
const GIVE_RIGHTS =
  'kk operator install gives the operator its rights: --namespace for each namespace of releases, --removal to remove, --cluster-objects for objects of the whole cluster'

/** Returns what the conditions of an Environment say. `Ready` is true only where every gate would pass now. */
export function environmentFindings(name: string, phase: Phase): readonly Finding[] {
  const driven = finding('Paused', 'False', 'Driven', 'the operator drives this environment')
  switch (phase.kind) {
    case 'paused': {
      const message = 'suspended: the operator changes nothing'
      return [
        finding('Ready', 'Unknown', 'Suspended', message),
        finding('Paused', 'True', 'Suspended', message),
      ]
    }
    case 'unplanned': {
      const {code, message} = phase.error
      const hint = code === 'KK_FORBIDDEN' ? GIVE_RIGHTS : phase.error.hint
      const text = hint === undefined ? message : `${message}; ${hint}`
      return [
        finding('Ready', 'False', code, text),
        finding(phase.isFinal ? 'Stalled' : 'Reconciling', 'True', code, text),
        finding('Planned', 'False', code, text),
        driven,
      ]
    }
    case 'unreachable': {
      const {code, message} = phase.error
      return [finding('Ready', 'Unknown', code, message), driven]
    }
    case 'waiting': {
      const {message} = phase.awaited
      return [
        finding('Ready', 'False', 'WaitingForEnvironments', message),
        reconciling('WaitingForEnvironments', message),
        plannedFinding(phase.planned),
        driven,
      ]
    }
    case 'unapproved': {
      const {planned, actions} = phase
      const {after} = planned.stage
      const where = after === undefined ? '' : `stopped after ${after}: `
      const message = `${where}${counted(actions.length, 'action')} of the plan ${actions.length === 1 ? 'needs' : 'need'} approval: kk operator approve ${name} ${planned.digest}`
      return [
        finding('Ready', 'False', 'WaitingForApproval', message),
        plannedFinding(planned),
        finding('Approved', 'False', 'WaitingForApproval', message),
        driven,
      ]
    }
    case 'held': {
      const message = `${phase.failure}; to try again, change the inputs, or: kk operator retry ${name}`
      return [
        finding('Ready', 'False', 'Failed', message),
        finding('Stalled', 'True', 'Failed', message),
        plannedFinding(phase.planned),
        driven,
      ]
    }
    case 'running': {
      const message = runText(phase.run)
      return [
        finding('Ready', 'False', 'Running', message),
        finding('Reconciling', 'True', 'Running', message),
        plannedFinding(phase.planned),
        driven,
      ]
    }
    case 'removing': {
      const message = runText(phase.run)
      return [
        finding('Ready', 'False', 'Removing', message),
        finding('Reconciling', 'True', 'Removing', message),
        plannedFinding(phase.planned),
        driven,
      ]
    }
    case 'deployed': {
      const {releases, planned, unwanted, drift} = phase
      const left = unwanted ? [unwantedFinding(name, unwanted)] : []
      const drifted = drift ? [drift] : []
      return [deployedFinding(releases), plannedFinding(planned), driven, ...left, ...drifted]
    }
  }
}

/** So long what was known of a cluster counts though it does not answer, in milliseconds. */
const STILL_TRUE = 600_000

interface Remembered {
  readonly generation: number
  readonly conditions: readonly Condition[]
  /** In milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns what is known of an Environment whose cluster does not answer: for ten minutes what was known before, if that was
 * said of what it is now to be. Undefined once it is not known any more.
 */
export function stillKnown({generation, conditions, now}: Remembered): readonly Finding[] | undefined {
  const lost = conditions.find(({type, status}) => type === 'Reachable' && status === 'False')
  const ready = conditions.find(({type}) => type === 'Ready')
  const isOver = lost !== undefined && Date.parse(lost.lastTransitionTime) + STILL_TRUE <= now
  if (isOver || !ready || ready.observedGeneration !== generation) return undefined
  return conditions
    .filter(({type}) => type !== 'Reachable')
    .map(({type, status, reason, message}) => finding(type, status, reason, message))
}

/** Returns what the conditions of a Release say while its run is under way. */
export function progressFindings(progress: Progress): readonly Finding[] {
  const ready = (status: Finding['status'], reason: string, message: string) =>
    finding('Ready', status, reason, message)
  switch (progress.state) {
    case 'unchanged':
    case 'succeeded':
      return [passedFinding(progress.state === 'succeeded' ? progress.health : undefined)]
    case 'waiting':
      return [ready('False', 'Waiting', 'waits for what it requires'), reconciling('Waiting')]
    case 'running': {
      const {phase, message, blames} = progress
      const text = blames[0] ? describeCause(blames[0]) : `${phase} ${message}`.trim() || 'has begun'
      return [ready('False', 'Running', text), reconciling('Running')]
    }
    case 'failed':
      return [
        ready('False', progress.error.code, progress.error.message),
        finding('Stalled', 'True', progress.error.code, progress.error.message),
      ]
    case 'skipped': {
      const why = progress.because === undefined ? progress.reason : `${progress.because} has failed`
      return [ready('False', 'Skipped', `not begun: ${why}`)]
    }
  }
}

/** Returns what the condition of a Release says of its health now. */
export function healthFinding({health, inputs}: ReleaseStatus): Finding {
  if (!health) return finding('Ready', 'False', 'NotInstalled', 'not installed')
  if (passes(health))
    // The inputs of what another environment owns are not this one's to judge.
    return inputs === 'changed'
      ? finding('Ready', 'False', 'Outdated', `${health.state}, but not as the environment wants it`)
      : passedFinding(health)
  const [first] = health.blames
  const text = first ? describeCause(first) : 'not healthy'
  return health.state === 'unknown'
    ? finding('Ready', 'Unknown', 'NotKnown', text)
    : finding('Ready', 'False', 'Unhealthy', text)
}

/** Its gate has passed; the reason says whether all of it is of its current version. */
function passedFinding({state, notes = []}: PassedHealth = {state: 'healthy'}): Finding {
  const text = [state, ...notes.map(describeCause)].join('; ')
  return finding('Ready', 'True', state === 'partial' ? 'Partial' : 'Healthy', text)
}

function deployedFinding(releases: readonly ReleaseStatus[]): Finding {
  const ill = releases.filter((release) => healthFinding(release).status !== 'True')
  const [first] = ill
  const partial = releases.filter(({health}) => health?.state === 'partial').map(({release}) => release)
  if (!first && partial.length > 0)
    return finding('Ready', 'True', 'Partial', `every gate has passed; partial: ${partial.join(', ')}`)
  if (!first) return finding('Ready', 'True', 'Healthy', 'every release is healthy')
  const others = ill.length === 1 ? '' : `, and ${counted(ill.length - 1, 'more release')}`
  return finding('Ready', 'False', 'Unhealthy', `${first.release}: ${healthFinding(first).message}${others}`)
}

function unwantedFinding(name: string, {digest, releases, kept}: Unwanted): Finding {
  if (releases.length === 0)
    return finding('Unwanted', 'True', 'Kept', `no longer wanted, and kept: ${kept.join('; ')}`)
  const message = `no longer wanted: ${releases.join(', ')}; to remove what is listed: kk operator approve ${name} ${digest}`
  return finding('Unwanted', 'True', 'WaitingForApproval', message)
}

function plannedFinding({plan}: Planned): Finding {
  const changes = plan.actions.filter(isChange).length
  return finding(
    'Planned',
    'True',
    'Planned',
    changes === 0 ? 'nothing is to be done' : counted(changes, 'action'),
  )
}

function runText(run: RunState): string {
  const failed = releasesIn(run, 'failed')
  const running = releasesIn(run, 'running').map(({release}) => release)
  const parts = [
    ...failed.map(({release, progress}) => `${release} has failed: ${progress.error.message}`),
    ...(running.length > 0 ? [`at work on ${running.join(', ')}`] : []),
  ]
  return parts.join('; ') || 'a run is under way'
}

function reconciling(reason: string, message = 'a run is under way'): Finding {
  return finding('Reconciling', 'True', reason, message)
}

function finding(type: string, status: Finding['status'], reason: string, message: string): Finding {
  return {type, status, reason, message}
}
