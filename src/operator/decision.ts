import type {Environment} from '../environment/environment.ts'
import {digest} from '../plan/digest.ts'
import {type Action, hasChanges, isChange, type Plan} from '../plan/plan.ts'
import {type EnvironmentObject, RETRY} from './crds/environment.ts'
import type {Stage} from './stages.ts'

/** What is planned for an Environment, as it is decided on. */
export interface Planned {
  readonly plan: Plan
  /** The part of it that is next; all of it, unless changes stop before. */
  readonly stage: Stage
  /** The digest of that part, which an approval names; see `planDigest`. */
  readonly digest: string
  /** The digest of the inputs of all releases, and of the stop that is next; see `targetDigest`. */
  readonly target: string
  /** What the checks before the first change have noted, beside the notes of the plan; undefined before they are made. */
  readonly notes?: readonly string[]
  /** What is a part of a section, by the names of the releases. */
  readonly parts?: Environment['parts']
}

/** What the operator does about a plan. */
export type Decision =
  | {readonly kind: 'idle'}
  /** An earlier run towards the same target has failed. */
  | {readonly kind: 'held'; readonly failure: string}
  /** These actions need an approval that the plan does not have. */
  | {readonly kind: 'unapproved'; readonly actions: readonly Action[]}
  /** `begins` where it changes something, and goes on with nothing. */
  | {readonly kind: 'run'; readonly begins: boolean}

/**
 * Returns the digest of a plan: what is done with which revision, to which inputs, on which cluster, and after which approved
 * plan. So an approval is good for one run that succeeds, though the same plan comes again after a removal.
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
 * Returns the digest of the state that a plan leads to, and of the stop on the way there if there is one. It is the same for
 * the plans of all attempts to come there, so it tells whether an attempt goes on, or repeats, an earlier one.
 */
export function targetDigest({environment, actions}: Plan, until?: string): string {
  const inputs = actions.map(({release, inputs}) => [release, inputs])
  return digest({environment, inputs, ...(until !== undefined && {until})})
}

/** Decides on a plan by what people and earlier attempts have left on the Environment. Never approves by itself. */
export function decide(
  {plan, stage, digest: made, target}: Planned,
  {metadata, spec, status = {}}: Pick<EnvironmentObject, 'metadata' | 'spec' | 'status'>,
): Decision {
  if (!hasChanges(plan)) return {kind: 'idle'}
  const changed = stage.plan.actions.filter(isChange)
  // To wait at gates, and to write labels, can be tried again and again.
  const isHarmless = changed.every(({kind}) => kind === 'await' || kind === 'relabel')
  const isRetried = requestedRetry(metadata) !== undefined && requestedRetry(metadata) !== status.retried
  const {failed} = status
  if (failed?.inputs === target && !isHarmless && !isRetried) return {kind: 'held', failure: failed.message}
  const hasStopped = stage.after !== undefined && !isHarmless
  const unapproved = changed.filter(
    (action) => hasStopped || needsApproval(action, spec.approval?.required ?? []),
  )
  const isBegun = status.begun === target
  const isApproved = spec.approval?.plan === made || isBegun
  if (unapproved.length > 0 && !isApproved) return {kind: 'unapproved', actions: unapproved}
  return {kind: 'run', begins: !isHarmless && !isBegun}
}

type Required = NonNullable<NonNullable<EnvironmentObject['spec']['approval']>['required']>

function needsApproval({kind, protected: isProtected}: Action, required: Required): boolean {
  return required.some((each) => each === kind || (each === 'protected' && isProtected))
}

/** Returns the retry that was asked for last, as `kk operator retry` writes it. */
export function requestedRetry({annotations}: EnvironmentObject['metadata']): string | undefined {
  return annotations?.[RETRY]
}

/** What others do, or the way to the cluster, may be otherwise a moment later. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'KK_HELD',
  'KK_PENDING',
  'KK_RACED',
  'KK_LEASE_LOST',
  'KK_UNREACHABLE',
  'KK_API_SERVER',
])

/** Whether what failed with this code may succeed later though nobody does anything about it. */
export function isTransient(code: string): boolean {
  return TRANSIENT_CODES.has(code)
}
