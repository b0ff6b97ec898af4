import type {Cause} from '../cluster/cluster.ts'
import type {Action, ActionKind} from '../plan/plan.ts'
import type {RunEvent} from './events.ts'

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
  /** The objects exist: those that require it by an `applied` edge may start. */
  readonly onApplied: () => void
  /** Helm has ended: another may start. Says that the objects exist, too. */
  readonly onHelmEnded: () => void
}

/** An action that is anything to do. */
type ActingAction = Action<Exclude<ActionKind, 'unchanged'>>

/** Does what an action says; resolves when its gate has passed, with the revision that is deployed then. */
export type Perform = (action: ActingAction, controls: Controls) => Promise<{readonly revision: number}>
