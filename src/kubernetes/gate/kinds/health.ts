import type {Allowance} from '../../../base/allowance.ts'
import {objectName} from '../../manifest/manifest.ts'
import {type Cause, type Health, type PassedHealth, passes} from '../health.ts'
import {unboundClaims} from './claim.ts'
import {findCondition, type NamespaceObjects, type Observed, type Pod, type Workload} from './observed.ts'
import {type PodTrouble, podTrouble} from './pod-trouble.ts'
import {type Stability, stability} from './restarts.ts'
import {isPodOf} from './selector.ts'

/** The fields of an object's manifest that its health is compared with. */
export interface ManifestFields {
  /** The required minimum of replicas; 0 if an autoscaler scales it. Defaults to 1. */
  readonly replicas: number
  /** The origin of the number; `autoscaler` for a workload that its autoscaler leaves at 0. */
  readonly replicasOf: 'chart' | 'default' | 'autoscaler'
  readonly isPaused: boolean
  readonly isSuspended: boolean
  /** The allowance of pods that need not be available, of the environment. Defaults to none. */
  readonly unavailable?: Allowance | undefined
}

/** Returns the health of one object by the object, its surroundings and its manifest; pure. */
export type HealthOf<T extends Observed> = (
  object: T & {readonly kind: string},
  namespaceObjects: NamespaceObjects,
  manifestFields: ManifestFields,
) => Health

export const HEALTHY: PassedHealth = {state: 'healthy'}

/** Combines the health of several objects: one that failed fails all. */
export function combineHealth(parts: readonly Health[]): Health {
  const causesIn = (state: 'waiting' | 'unknown' | 'failed') =>
    parts.flatMap((part) => (part.state === state ? part.blames : []))
  const [failed, unknown, waiting] = [causesIn('failed'), causesIn('unknown'), causesIn('waiting')]
  if (failed.length > 0) return {state: 'failed', blames: [...failed, ...unknown, ...waiting]}
  if (unknown.length > 0) return {state: 'unknown', blames: [...unknown, ...waiting]}
  if (waiting.length === 0) return passed(parts.filter(passes))
  const until = Math.min(
    ...parts.map((part) => (part.state === 'waiting' ? part.until : undefined) ?? Infinity),
  )
  return {state: 'waiting', blames: waiting, ...(until < Infinity && {until})}
}

function passed(parts: readonly PassedHealth[]): PassedHealth {
  const notes = parts.flatMap((part) => part.notes ?? [])
  const state = parts.some((part) => part.state === 'partial') ? 'partial' : 'healthy'
  return {state, ...(notes.length > 0 && {notes})}
}

/** Returns a health with which a gate passes, with a note on the object. */
export function withNote(
  state: PassedHealth['state'],
  object: Observed & {readonly kind: string},
  note: Pick<Cause, 'message' | 'reason' | 'leftBehind'>,
): PassedHealth {
  return {state, notes: [{...about(object), ...note}]}
}

/**
 * Returns a health with which the gate does not pass, because of this object, the pod with the worst trouble,
 * and its unbound claims.
 */
export function closedHealth(
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
 * Returns the health of a workload by the rules that all kinds share: the controller must have observed the
 * object, and its claims must be bound.
 */
export function workloadHealth<T extends Workload & {readonly kind: string}>(
  object: T,
  namespaceObjects: NamespaceObjects,
  rules: {
    readonly claims: readonly string[]
    /** Returns what the rollout lacks; undefined once it is done. */
    readonly missing: () => string | undefined
    readonly cause?: Partial<Cause> | undefined
    /** The number of pods that may be unavailable, also because they crash. Defaults to none. */
    readonly allowed?: number
    /** The health after the rollout. Defaults to healthy. */
    readonly done?: PassedHealth | undefined
  },
): Health {
  const {generation = 0} = object.metadata
  if ((object.status?.observedGeneration ?? 0) < generation) {
    return closedHealth('waiting', object, {message: 'its controller has not seen the change yet', pods: []})
  }
  const pods = namespaceObjects.pods.filter((pod) => isPodOf(object, pod))
  const claims = unboundClaims(object, rules.claims, namespaceObjects)
  const message = rules.missing()
  if (message !== undefined)
    return closedHealth('waiting', object, {message, pods, claims, ...(rules.cause && {cause: rules.cause})})
  if (claims.length > 0) return {state: 'waiting', blames: claims}
  const {unstable, notes} = stability(pods, namespaceObjects.now)
  const relevant = rules.allowed ? unstable.filter(({until}) => until < Infinity) : unstable
  return stableHealth(object, {unstable: relevant, notes}, rules.done ?? HEALTHY)
}

/** Returns the health of a workload that misses nothing, by how long its containers have been up. */
function stableHealth(
  object: Observed & {readonly kind: string},
  {unstable, notes}: Stability,
  done: PassedHealth,
): Health {
  const until = Math.min(...unstable.map((each) => each.until))
  if (unstable.length > 0)
    return {
      state: 'waiting',
      blames: unstable.map(({cause}) => ({...about(object), ...cause})),
      ...(until < Infinity && {until}),
    }
  if (notes.length === 0) return done
  const restarts = notes.map((note) => ({...about(object), ...note}))
  return {...done, notes: [...(done.notes ?? []), ...restarts]}
}

/**
 * Returns the health of a workload that is scaled to fewer replicas than its manifest states, because no
 * controller restores them; undefined if it has enough.
 */
export function scaledDown(
  object: Workload & {readonly kind: string},
  {replicas, replicasOf}: ManifestFields,
): Health | undefined {
  const replicasNow = object.spec?.replicas ?? 1
  if (replicasNow >= replicas) return undefined
  const message = `it is scaled to ${replicasNow}, ${EXPECTED[replicasOf](replicas)}`
  return closedHealth('failed', object, {message, pods: [], cause: {reason: SCALED_DOWN}})
}

const EXPECTED = {
  chart: (replicas) => `and its chart states ${replicas}`,
  default: () => 'and its chart states no number, which means 1',
  autoscaler: () => 'from which its HorizontalPodAutoscaler does not scale it up',
} as const satisfies Record<ManifestFields['replicasOf'], (replicas: number) => string>

export const SCALED_DOWN = 'ScaledDown'

/** The end of a note on pods that are not available. */
export const ALLOWED = ', which the environment allows'

function about(object: Observed & {readonly kind: string}): Pick<Cause, 'object' | 'namespace'> {
  const {namespace} = object.metadata
  return {object: objectName(object), ...(namespace && {namespace})}
}

/**
 * Returns the worst trouble of the pods. Pods of the newest template come first, because older ones are being
 * replaced.
 */
function worstTrouble(pods: readonly Pod[]): PodTrouble | undefined {
  const staying = pods.filter((pod) => !pod.metadata.deletionTimestamp)
  const candidates = staying.length > 0 ? staying : pods
  const newest = templateHash([...candidates].sort(byAge)[0])
  const current = candidates.filter((pod) => templateHash(pod) === newest)
  return worst(current) ?? worst(candidates)
}

function worst(pods: readonly Pod[]): PodTrouble | undefined {
  const troubles = pods.map(podTrouble).filter((trouble) => trouble !== undefined)
  return troubles.sort((one, other) => other.severity - one.severity || (one.pod < other.pod ? -1 : 1))[0]
}

function byAge(one: Pod, other: Pod): number {
  return (other.metadata.creationTimestamp ?? '').localeCompare(one.metadata.creationTimestamp ?? '')
}

function templateHash(pod: Pod | undefined): string | undefined {
  const labels = pod?.metadata.labels ?? {}
  return labels['pod-template-hash'] ?? labels['controller-revision-hash']
}

export function conditionCause(object: Workload, type: string): Partial<Cause> | undefined {
  const condition = findCondition(object, type)
  if (condition?.status !== 'True') return undefined
  return {reason: condition.reason ?? type, ...(condition.message && {detail: condition.message})}
}
