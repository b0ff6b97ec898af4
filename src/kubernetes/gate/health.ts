/**
 * The cause of a closed gate: the object that is not ready and, if a pod is the cause, the pod, container and reason.
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
  /** Kubernetes' message beside the reason, e.g. the scheduler's. */
  readonly detail?: string
  readonly log?: readonly string[]
}

/**
 * A health with which a gate passes. `partial`: all that should serve does, but as the chart states, some of it is not
 * of the current version, or does not run: `OnDelete`, a partition, a paused Deployment, a suspended Job.
 */
export interface PassedHealth {
  readonly state: 'healthy' | 'partial'
  /** What is worth knowing, and why it is partial; absent if there is nothing. */
  readonly notes?: readonly Cause[]
}

/** The reasons of notes on what is worth knowing, but makes nothing partial. */
const ASIDE: ReadonlySet<string | undefined> = new Set(['NoNodes', 'NoAddress'])

/** Returns the notes that say why a health is partial. */
export function partialNotes({state, notes = []}: PassedHealth): readonly Cause[] {
  return state === 'partial' ? notes.filter(({reason}) => !ASIDE.has(reason)) : []
}

/**
 * The health of objects. `failed` cannot become healthy by waiting: a failed Job, an exceeded progress deadline.
 * `unknown` cannot become known by waiting: a Job is gone that was not seen to complete.
 */
export type Health =
  | PassedHealth
  | {
      readonly state: 'waiting'
      readonly blames: readonly Cause[]
      /**
       * The time at which it may change though no object does, in milliseconds since the epoch by the cluster's clock.
       */
      readonly until?: number
    }
  | {readonly state: 'failed' | 'unknown'; readonly blames: readonly Cause[]}

/** Whether a gate passes with this health. */
export function passes(health: Health): health is PassedHealth {
  return !('blames' in health)
}

/** Returns what keeps a gate closed; empty for a health with which it passes. */
export function blamesOf(health: Health): readonly Cause[] {
  return passes(health) ? [] : health.blames
}
