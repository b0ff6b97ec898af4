import type {Objects} from '../kubernetes/objects/objects.ts'
import type {Interruption} from '../run/interruption.ts'
import type {ClusterConnection} from './cluster-connections.ts'
import type {EnvironmentState} from './condition-inputs.ts'
import type {EnvironmentStatus} from './crds/environment.ts'
import type {DriftWatcher} from './drift-watcher.ts'
import type {GateResult} from './follow-run.ts'
import type {Heartbeat} from './work-queue.ts'
import type {Dispatcher} from './workers/dispatcher.ts'

/** Writes the status of one Environment during one reconciliation. */
export interface StatusWriter {
  /** Writes the status for this state, after adding to the memory. */
  write(phase: EnvironmentState, memory?: Memory): Promise<void>
  /** Adds to the memory, without a write: the next write includes it. */
  setMemory(memory: Memory): void
  /** Schedules a write; only the latest state is written. */
  writeDebounced(phase: EnvironmentState): void
}

/** The part of the status that later reconciliations read. */
export type Memory = Pick<
  EnvironmentStatus,
  'inputs' | 'approved' | 'begun' | 'failed' | 'deployed' | 'tested' | 'retried' | 'run'
>

/** Called when a gate has ended, with the chart of the release and the duration in seconds. */
export type OnGate = (chart: string, result: GateResult, seconds: number) => void

/** What one reconciliation of an Environment works with. */
export interface ReconcileContext {
  /** Objects of the operator's own cluster, which has the Environments. */
  readonly hub: Pick<Objects, 'read' | 'merge'>
  readonly statusWriter: StatusWriter
  readonly interruption: Interruption
  /** Extends the deadline after which the reconciliation counts as stuck. */
  readonly heartbeat: Heartbeat
  readonly driftWatcher: DriftWatcher
  readonly onGate: OnGate
  /** Connects to the cluster of the releases; see `ConnectionAttempt`. */
  readonly connect: () => Promise<ClusterConnection>
  /** Dispatches tasks to workers; undefined if this process runs them. */
  readonly dispatcher: Dispatcher | undefined
}
