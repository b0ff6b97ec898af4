import type {Allowance} from '../base/allowance.ts'
import type {KkError} from '../base/errors.ts'
import type {Values} from '../base/values.ts'
import type {Cause, PassedHealth} from '../kubernetes/gate/health.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import type {Claim, ObjectIdentity, PresentObject} from '../kubernetes/objects/live-objects.ts'
import type {DesiredRelease} from '../plan/desired.ts'
import type {Action, ActionKind} from '../plan/plan.ts'
import type {ReleaseCleanup} from '../plan/removal/cleanup.ts'
import type {ReleaseId} from '../release.ts'
import type {RunEvent, TestResult} from './events.ts'

/**
 * An action with its inputs that are not in the plan, because a plan holds no values. Unchanged actions are
 * not tasks.
 */
export type Task =
  | TaskOf<'install' | 'upgrade', ChartWork>
  | TaskOf<'rollback', TimedWork>
  | TaskOf<'remove', RemovalWork>
  | TaskOf<'prune', PruningWork>
  | TaskOf<'relabel', DesiredWork>
  | TaskOf<'adopt', DesiredWork>
  | TaskOf<'hand-over', TimedWork>
  | TaskOf<'test', TimedWork>
  | TaskOf<'await', TimedWork>
  | TaskOf<'check', TimedWork>

interface TaskOf<K extends ActionKind, W extends TimedWork> {
  readonly kind: K
  readonly action: Action<K>
  readonly work: W
}

/** The default of `kk.releases.X.timeout`: seconds from the start of an action until its gate has passed. */
export const DEFAULT_TIMEOUT_SECONDS = 900

interface TimedWork {
  readonly timeoutSeconds: number
  /** How many pods of each Deployment and DaemonSet its gate need not wait for. Defaults to none. */
  readonly unavailable?: Allowance
}

export interface DesiredWork extends TimedWork {
  readonly desired: DesiredRelease
}

export interface ChartWork extends DesiredWork {
  /** A directory with the library vendored, private to the run. */
  readonly chart: string
  readonly values: Values
  /** The objects that the chart renders, hooks included, as far as they are known before helm runs. */
  readonly objects: readonly KubernetesObject[]
  /**
   * The objects that the chart no longer renders and whose deletion would delete further objects; see
   * `droppedHolders`.
   */
  readonly dropped: readonly KubernetesObject[]
  /** The hooks whose objects helm deletes and has to re-create; see `recreatedHooks`. */
  readonly recreated?: readonly KubernetesObject[]
  /**
   * Objects that the chart no longer renders and that another release also has; kk annotates them so that
   * helm keeps them.
   */
  readonly shared?: readonly KubernetesObject[]
  /** The objects in which helm confuses list items; kk writes them again after helm. See `mixedLists`. */
  readonly mixed: readonly KubernetesObject[]
  /** The objects whose namespace or kind did not exist when the plan was validated. */
  readonly unvalidated: readonly KubernetesObject[]
}

export interface RemovalWork extends TimedWork {
  /** The UID of the last record that the plan saw. */
  readonly uid: string
  /** The objects to delete. */
  readonly objects: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
  /** The values of the last revision, to mask its secrets. */
  readonly values: Values
  /** Claims whose data the user agreed by name to lose. */
  readonly claims: readonly Claim[]
  /** The data in other services to remove before helm runs; undefined if there is none. */
  readonly cleanup?: Pick<ReleaseCleanup, 'cronJob' | 'deleted'>
  /**
   * Checks the cluster on each call, and returns why the release may not be removed now; undefined if nothing
   * uses it.
   */
  readonly refusal: () => Promise<KkError | undefined>
  /** Reservations that the user chose to ignore: `kk-system/NAME`. */
  readonly ignored: ReadonlySet<string>
  /** Called at the end with the objects that still exist although helm deleted them. */
  readonly onEnded: (remaining: readonly PresentObject[]) => Promise<void>
}

export interface PruningWork extends TimedWork {
  /** Checks the cluster on each call, and returns the shown objects that may still be deleted. */
  readonly listDeletable: () => Promise<readonly ObjectIdentity[]>
}

/** Returns the work for a desired release, with its timeout or the default one. */
export function desiredWork(
  desired: DesiredRelease,
  timeoutSeconds?: number,
  unavailable?: Allowance,
): DesiredWork {
  return {desired, ...timedWork(timeoutSeconds, unavailable)}
}

function timedWork(timeoutSeconds = DEFAULT_TIMEOUT_SECONDS, unavailable?: Allowance): TimedWork {
  return {timeoutSeconds, ...(unavailable !== undefined && {unavailable})}
}

type TimedKind = 'rollback' | 'hand-over' | 'test' | 'await' | 'check' | 'unchanged'

/** Returns the tasks of actions for which helm needs no values; `timeout` is in seconds. */
export function timedTasks(
  actions: readonly Action<TimedKind>[],
  timeout: (release: ReleaseId) => number | undefined,
): readonly Task[] {
  return actions.flatMap((action) => timedTask(action, timeout(action.release)))
}

export function timedTask(
  action: Action<TimedKind>,
  timeoutSeconds?: number,
  unavailable?: Allowance,
): readonly Task[] {
  const work = timedWork(timeoutSeconds, unavailable)
  switch (action.kind) {
    case 'unchanged':
      return []
    case 'rollback':
      return [{kind: action.kind, action, work}]
    case 'hand-over':
      return [{kind: action.kind, action, work}]
    case 'test':
      return [{kind: action.kind, action, work}]
    case 'await':
      return [{kind: action.kind, action, work}]
    case 'check':
      return [{kind: action.kind, action, work}]
  }
}

type Phase = Extract<RunEvent, {type: 'release-progressed'}>['phase']

/** The interface between the work on one action and the run. */
export interface Controls {
  /** Aborted when the work must end at once. */
  readonly signal: AbortSignal
  /** Whether another action waits until the objects of this one exist. */
  readonly appliedAwaited: boolean
  readonly onProgress: (phase: Phase, message: string, blames?: readonly Cause[]) => void
  /** Called before helm starts: from then on the release may have changed. */
  readonly onChanging: () => void
  /** Called when an object of the release was deleted individually, e.g. `ConfigMap/extra`. */
  readonly onDeleted: (object: string) => void
  /** Called with the results that the pods of `helm test` reported. */
  readonly onTested: (tests: readonly TestResult[]) => void
  /** Called when the objects exist: releases that require it by an `applied` edge may start. */
  readonly onApplied: () => void
  /** Called when helm has ended, so that another helm process may start. Implies that the objects exist. */
  readonly onHelmEnded: () => void
}

/** An action that changes or checks something. */
type ActingAction = Action<Exclude<ActionKind, 'unchanged'>>

/** The result of an action. */
export interface ActionResult {
  /** The deployed revision. */
  readonly revision: number
  /** The result of its gate; omitted if it is only `healthy`. */
  readonly health?: PassedHealth
}

/** Performs an action; resolves when its gate has passed. */
export type Perform = (action: ActingAction, controls: Controls) => Promise<ActionResult>
