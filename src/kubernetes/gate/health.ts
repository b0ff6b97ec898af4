import type {AwayNode} from './nodes.ts'

/**
 * The cause of a failed or waiting gate: the object that is not ready and, if a pod is responsible, the pod,
 * container and reason.
 */
export interface Cause {
  /** E.g. `Deployment/keystone-api`. */
  readonly object: string
  readonly namespace?: string
  /** E.g. `1 of 3 replicas are available`. */
  readonly message: string
  readonly pod?: string
  readonly container?: string
  /** Kubernetes' reason: `CrashLoopBackOff`, `ImagePullBackOff`, `Unschedulable`, … */
  readonly reason?: string
  /** Kubernetes' message for the reason, e.g. the scheduler's. */
  readonly detail?: string
  readonly log?: readonly string[]
  /** The nodes whose pods of the object are not awaited; in notes of DaemonSets. */
  readonly leftBehind?: readonly LeftBehind[]
}

/** A node whose pod of a DaemonSet is not awaited, because the node is away. */
export interface LeftBehind extends AwayNode {
  readonly pod: string
  /** The revision of the DaemonSet that the pod is of: its label `controller-revision-hash`. */
  readonly revision?: string
  /** Whether the pod is of the current version. */
  readonly isCurrent: boolean
}

/**
 * A health with which a gate passes. `partial`: all required replicas serve, but some pods are not of the
 * current version, or do not run: by the settings of the chart (`OnDelete`, a partition, a paused Deployment,
 * a suspended Job), because their nodes are away, or because the environment allows it.
 */
export interface PassedHealth {
  readonly state: 'healthy' | 'partial'
  /** Notes for the user, and the reasons why it is partial; absent if there are none. */
  readonly notes?: readonly Cause[]
}

/** The reasons of notes that make nothing partial. */
const INFORMATIONAL_REASONS: ReadonlySet<string | undefined> = new Set(['NoNodes', 'NoAddress', 'Restarted'])

/** Returns the notes that explain why a health is partial. */
export function partialNotes({state, notes = []}: PassedHealth): readonly Cause[] {
  return state === 'partial' ? notes.filter(({reason}) => !INFORMATIONAL_REASONS.has(reason)) : []
}

/**
 * The health of objects. `failed` cannot become healthy by waiting: a failed Job, an exceeded progress
 * deadline. `unknown` cannot become known by waiting: a Job is gone that was not observed to complete.
 */
export type Health =
  | PassedHealth
  | {
      readonly state: 'waiting'
      readonly blames: readonly Cause[]
      /**
       * The time at which it may change without a change of an object, in milliseconds since the epoch by the
       * cluster's clock.
       */
      readonly until?: number
    }
  | {readonly state: 'failed' | 'unknown'; readonly blames: readonly Cause[]}

/** Whether a gate passes with this health. */
export function passes(health: Health): health is PassedHealth {
  return !('blames' in health)
}

/** Returns the causes that keep a gate from passing; empty for a health with which it passes. */
export function failureCauses(health: Health): readonly Cause[] {
  return passes(health) ? [] : health.blames
}
