import type {KkError} from '../base/errors.ts'
import type {Environment} from '../environment/environment.ts'
import {digest} from '../plan/digest.ts'
import {type Action, hasChanges, isChange, type Plan} from '../plan/plan.ts'
import {type EnvironmentObject, RETRY} from './crds/environment.ts'
import type {Stage} from './stages.ts'

/** A plan for an Environment, with what the decision on it needs. */
export interface Planned {
  readonly plan: Plan
  /** The next part of the plan; the whole plan if no stop comes first. */
  readonly stage: Stage
  /** The digest of the stage, for approval; see `planDigest`. */
  readonly digest: string
  /** The digest of the inputs of all releases and of the next stop; see `targetDigest`. */
  readonly target: string
  /** The digest of the revisions that are on the cluster; see `stateDigest`. */
  readonly state: string
  /** Notes of the preflight checks, in addition to those of the plan; undefined before the checks. */
  readonly notes?: readonly string[]
  /** The parts of sections, by release name. */
  readonly parts?: Environment['parts']
}

/** What the operator does with a plan. */
export type Decision =
  | {readonly kind: 'idle'}
  /** An earlier run with the same target has failed. */
  | {readonly kind: 'held'; readonly failure: string}
  /** These actions need approval, and the plan is not approved. */
  | {readonly kind: 'unapproved'; readonly actions: readonly Action[]}
  /** The tests of all releases are run before anything further. */
  | {readonly kind: 'test'}
  /** `begins` if it changes something and does not resume an earlier run. */
  | {readonly kind: 'run'; readonly begins: boolean}

/**
 * Returns the digest of a plan: its actions with revisions and inputs, its cluster, and the last approved
 * plan. The latter makes an approval valid for one successful run only, even if the same plan is needed again
 * after a removal.
 */
export function planDigest({environment, cluster, actions}: Plan, approved?: string): string {
  return digest({
    environment,
    cluster: cluster.uid,
    ...(approved !== undefined && {approved}),
    actions: actions.filter(isChange).map(({release, kind, revision, uid, inputs}) => ({
      ...{release, kind, revision, inputs},
      ...(uid !== undefined && {uid}),
    })),
  })
}

/**
 * Returns the digest of the state that a plan leads to, and of the stop on the way there if there is one. All
 * attempts to reach a state have the same digest, so it identifies an attempt that resumes or repeats an
 * earlier one.
 */
export function targetDigest({environment, actions}: Plan, until?: string): string {
  const inputs = actions.map(({release, inputs}) => [release, inputs])
  return digest({environment, inputs, ...(until !== undefined && {until})})
}

/** Returns the digest of the revisions that a plan has found, for which tests have passed or failed. */
export function stateDigest({environment, actions}: Plan): string {
  const revisions = actions.map(({release, revision, uid}) => [release, revision, uid ?? null])
  return digest({environment, revisions})
}

/**
 * Decides what to do with a plan, from the spec and from the status of earlier attempts. Never approves a
 * plan itself.
 */
export function decide(
  {plan, stage, digest: planned, target, state}: Planned,
  {metadata, spec, status = {}}: Pick<EnvironmentObject, 'metadata' | 'spec' | 'status'>,
): Decision {
  const changed = stage.plan.actions.filter(isChange)
  // Waiting at gates and writing labels are idempotent.
  const isHarmless = changed.every(({kind}) => kind === 'await' || kind === 'relabel')
  const isRetried = requestedRetry(metadata) !== undefined && requestedRetry(metadata) !== status.retried
  const {failed, tested, begun} = status
  const isBegun = begun === target
  const isAtStop = stage.after !== undefined && !isHarmless && !isBegun && failed?.inputs !== target
  if (spec.approval?.test && (isAtStop || !hasChanges(plan))) {
    const isCurrent = tested?.state === state
    if (!isCurrent || (tested.failure !== undefined && isRetried)) return {kind: 'test'}
    if (tested.failure !== undefined) return {kind: 'held', failure: tested.failure}
  }
  if (!hasChanges(plan)) return {kind: 'idle'}
  if (failed?.inputs === target && !isHarmless && !isRetried) return {kind: 'held', failure: failed.message}
  const hasStopped = stage.after !== undefined && !isHarmless
  const unapproved = changed.filter(
    (action) => hasStopped || needsApproval(action, spec.approval?.required ?? []),
  )
  const isApproved = spec.approval?.plan === planned || isBegun
  if (unapproved.length > 0 && !isApproved) return {kind: 'unapproved', actions: unapproved}
  return {kind: 'run', begins: !isHarmless && !isBegun}
}

type Required = NonNullable<NonNullable<EnvironmentObject['spec']['approval']>['required']>

function needsApproval({kind, protected: isProtected}: Action, required: Required): boolean {
  return required.some((each) => each === kind || (each === 'protected' && isProtected))
}

/** Returns the last requested retry, as `kk operator retry` writes it. */
export function requestedRetry({annotations}: EnvironmentObject['metadata']): string | undefined {
  return annotations?.[RETRY]
}

/** Codes of failures that other processes or the network cause. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'KK_HELD',
  'KK_PENDING',
  'KK_RACED',
  'KK_LEASE_LOST',
  'KK_UNREACHABLE',
  'KK_API_SERVER',
])

/** Returns whether only a change of the inputs or the cluster helps, and no retry. */
export function isFinal({code, exit}: KkError): boolean {
  return (exit === 2 || exit === 3) && !isTransient(code)
}

/** Returns whether a failure with this code can be resolved by a retry, without a change of the inputs. */
export function isTransient(code: string): boolean {
  return TRANSIENT_CODES.has(code)
}
