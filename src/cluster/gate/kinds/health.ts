import type {Cause, Health} from '../../cluster.ts'
import {objectName} from '../../manifest.ts'
import {unboundClaims} from './claim.ts'
import {findCondition, type Observed, type Pod, type Surroundings, type Workload} from './observed.ts'
import {type PodTrouble, podTrouble} from './pod-trouble.ts'
import {matchesSelector} from './selector.ts'

/** Returns the health of one object from the object and its surroundings; pure. */
export type HealthOf<T extends Observed> = (
  object: T & {readonly kind: string},
  around: Surroundings,
) => Health

export const HEALTHY: Health = {state: 'healthy'}

/** Returns the health of several objects together: one that failed fails all. */
export function combineHealth(parts: readonly Health[]): Health {
  const blames = (state: 'waiting' | 'failed') =>
    parts.flatMap((part) => (part.state === state ? part.blames : []))
  const [failed, waiting] = [blames('failed'), blames('waiting')]
  if (failed.length > 0) return {state: 'failed', blames: [...failed, ...waiting]}
  if (waiting.length === 0) return HEALTHY
  const until = Math.min(
    ...parts.map((part) => (part.state === 'waiting' ? part.until : undefined) ?? Infinity),
  )
  return {state: 'waiting', blames: waiting, ...(until < Infinity && {until})}
}

/** Returns a health that is closed because of this object, its pod in the worst trouble, and its unbound claims. */
export function closed(
  state: 'waiting' | 'failed',
  object: Observed & {readonly kind: string},
  closing: {
    readonly message: string
    readonly pods: readonly Pod[]
    readonly claims?: readonly Cause[]
    readonly cause?: Partial<Cause>
  },
): Health {
  const trouble = worstTrouble(closing.pods)
  const why = trouble ? withoutSeverity(trouble) : closing.cause
  const cause: Cause = {...about(object), message: closing.message, ...why}
  return {state, blames: [cause, ...(closing.claims ?? [])]}
}

function withoutSeverity({severity: _, ...trouble}: PodTrouble): Partial<Cause> {
  return trouble
}

/**
 * Returns the health of a Deployment, StatefulSet or DaemonSet by what they share: their controller must have seen the
 * object, and their claims be bound.
 */
export function workloadHealth<T extends Workload & {readonly kind: string}>(
  object: T,
  around: Surroundings,
  rules: {
    readonly claims: readonly string[]
    /** Returns what is still missing; undefined once the rollout is done. */
    readonly missing: () => string | undefined
    readonly cause?: Partial<Cause> | undefined
  },
): Health {
  const {generation = 0} = object.metadata
  if ((object.status?.observedGeneration ?? 0) < generation) {
    return closed('waiting', object, {message: 'its controller has not seen the change yet', pods: []})
  }
  const pods = around.pods.filter((pod) => matchesSelector(object.spec?.selector, pod))
  const claims = unboundClaims(object, rules.claims, around)
  const message = rules.missing()
  if (message !== undefined)
    return closed('waiting', object, {message, pods, claims, ...(rules.cause && {cause: rules.cause})})
  return claims.length > 0 ? {state: 'waiting', blames: claims} : HEALTHY
}

function about(object: Observed & {readonly kind: string}): Pick<Cause, 'object' | 'namespace'> {
  const {namespace} = object.metadata
  return {object: objectName(object), ...(namespace && {namespace})}
}

/**
 * Returns the worst trouble of the pods. Those of the newest template come first, for older ones are being replaced.
 */
function worstTrouble(pods: readonly Pod[]): PodTrouble | undefined {
  const staying = pods.filter((pod) => !pod.metadata.deletionTimestamp)
  const candidates = staying.length > 0 ? staying : pods
  const newest = templateOf([...candidates].sort(byAge)[0])
  const current = candidates.filter((pod) => templateOf(pod) === newest)
  return worst(current) ?? worst(candidates)
}

function worst(pods: readonly Pod[]): PodTrouble | undefined {
  const troubles = pods.map(podTrouble).filter((trouble) => trouble !== undefined)
  return troubles.sort((one, other) => other.severity - one.severity || (one.pod < other.pod ? -1 : 1))[0]
}

function byAge(one: Pod, other: Pod): number {
  return (other.metadata.creationTimestamp ?? '').localeCompare(one.metadata.creationTimestamp ?? '')
}

function templateOf(pod: Pod | undefined): string | undefined {
  const labels = pod?.metadata.labels ?? {}
  return labels['pod-template-hash'] ?? labels['controller-revision-hash']
}

export function conditionCause(object: Workload, type: string): Partial<Cause> | undefined {
  const condition = findCondition(object, type)
  if (condition?.status !== 'True') return undefined
  return {reason: condition.reason ?? type, ...(condition.message && {detail: condition.message})}
}
