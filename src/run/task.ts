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

/** An action with what is needed to do it beside the plan, for a plan holds no values. What is unchanged is no task. */
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

/** Seconds from the start of an action to its passed gate, unless `kk.releases.X.timeout` says otherwise. */
export const DEFAULT_TIMEOUT_SECONDS = 900

interface TimedWork {
  readonly timeoutSeconds: number
}

export interface DesiredWork extends TimedWork {
  readonly desired: DesiredRelease
}

export interface ChartWork extends DesiredWork {
  /** A directory with the library vendored, private to the run. */
  readonly chart: string
  readonly values: Values
  /** What the chart renders, hooks included, as far as that is known before helm runs. */
  readonly objects: readonly KubernetesObject[]
  /** What the chart renders no more, and what would take more with it than itself; see `droppedHolders`. */
  readonly dropped: readonly KubernetesObject[]
  /** The hooks whose objects are plain ones in the revision before; see `replacedByHooks`. */
  readonly replaced?: readonly KubernetesObject[]
  /** Objects that the chart no longer renders and that another release also has: helm is made to keep them. */
  readonly shared?: readonly KubernetesObject[]
  /** Those of which helm mixes up items of lists, to be written again afterwards; see `mixedLists`. */
  readonly mixed: readonly KubernetesObject[]
  /** Those of them whose namespace or kind did not exist when the plan was validated. */
  readonly unvalidated: readonly KubernetesObject[]
}

export interface RemovalWork extends TimedWork {
  /** UID of the last record that the plan saw. */
  readonly uid: string
  /** The objects that go, and all hooks. */
  readonly objects: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
  /** Of the last revision, to mask its secrets. */
  readonly values: Values
  /** Data that the user gave up by name. */
  readonly claims: readonly Claim[]
  /** What is taken away in other services before helm runs; left out where there is nothing. */
  readonly cleanup?: Pick<ReleaseCleanup, 'cronJob' | 'goes'>
  /** Looks at the cluster at each call, and returns why the release may not go now; undefined when nothing uses it. */
  readonly refusal: () => Promise<KkError | undefined>
  /** Reservations that the user excused: `kk-system/NAME`. */
  readonly excused: ReadonlySet<string>
  /** Told at the end what is there still, though helm deleted it. */
  readonly onEnded: (left: readonly PresentObject[]) => Promise<void>
}

export interface PruningWork extends TimedWork {
  /** Looks at the cluster at each call, and returns those of the objects that were shown which may still go. */
  readonly look: () => Promise<readonly ObjectIdentity[]>
}

/** Returns the work on what the environment wants of a release, within its own time or the default one. */
export function desiredWork(desired: DesiredRelease, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS): DesiredWork {
  return {desired, timeoutSeconds}
}

type TimedKind = 'rollback' | 'hand-over' | 'test' | 'await' | 'check' | 'unchanged'

/** Returns the tasks of actions for which helm gets no values; `timeout` is in seconds. */
export function timedTasks(
  actions: readonly Action<TimedKind>[],
  timeout: (release: ReleaseId) => number | undefined,
): readonly Task[] {
  return actions.flatMap((action) => timedTask(action, timeout(action.release)))
}

export function timedTask(
  action: Action<TimedKind>,
  timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
): readonly Task[] {
  const work = {timeoutSeconds}
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

/** What the work on one action hears from the run, and tells it. */
export interface Controls {
  /** Aborted when the work must end at once. */
  readonly signal: AbortSignal
  /** Whether another action waits until the objects of this one exist. */
  readonly appliedAwaited: boolean
  readonly onProgress: (phase: Phase, message: string, blames?: readonly Cause[]) => void
  /** From here on the release is not any more what it was: helm is about to start. */
  readonly onChanging: () => void
  /** An object of the release was deleted on its own, e.g. `ConfigMap/extra`. */
  readonly onDeleted: (object: string) => void
  /** The pods of `helm test` have told how each of their tests ended. */
  readonly onTested: (tests: readonly TestResult[]) => void
  /** The objects exist: those that require it by an `applied` edge may start. */
  readonly onApplied: () => void
  /** Helm has ended: another may start. Says that the objects exist, too. */
  readonly onHelmEnded: () => void
}

/** An action that is anything to do. */
type ActingAction = Action<Exclude<ActionKind, 'unchanged'>>

/** What has come of an action. */
export interface Performed {
  /** The revision that is deployed. */
  readonly revision: number
  /** How its gate has passed, if there is more to say than that all of it is healthy. */
  readonly health?: PassedHealth
}

/** Does what an action says; resolves when its gate has passed. */
export type Perform = (action: ActingAction, controls: Controls) => Promise<Performed>
