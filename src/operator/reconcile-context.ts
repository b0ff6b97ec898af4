import type {Objects} from '../kubernetes/objects/objects.ts'
import type {Interruption} from '../run/interruption.ts'
import type {ClusterConnection} from './cluster-connections.ts'
import type {EnvironmentState} from './condition-inputs.ts'
import type {EnvironmentStatus} from './crds/environment.ts'
import type {DriftWatcher} from './drift-watcher.ts'
import type {GateResult} from './follow-run.ts'
import type {Heartbeat} from './work-queue.ts'
import type {Dispatcher} from './workers/dispatcher.ts'

/** What one pass over an Environment writes on the way. */
export interface StatusWriter {
  /** Writes how far the Environment is, with what is to be remembered of it. */
  write(phase: EnvironmentState, memory?: Memory): Promise<void>
  /** Takes note of what is written with all that is told from now on. */
  setMemory(memory: Memory): void
  /** As `tell`, but soon: what comes meanwhile is told instead. */
  writeDebounced(phase: EnvironmentState): void
}

/** What later passes have to know. */
export type Memory = Pick<
  EnvironmentStatus,
  'inputs' | 'approved' | 'begun' | 'failed' | 'deployed' | 'retried' | 'run'
>

/** Told how long the gate of a release of a chart was closed, in seconds. */
export type OnGate = (chart: string, result: GateResult, seconds: number) => void

export interface ReconcileContext {
  /** Objects of the cluster that has the Environments. */
  readonly hub: Pick<Objects, 'read' | 'merge'>
  readonly statusWriter: StatusWriter
  readonly interruption: Interruption
  /** Said again and again: how long nothing may be heard of the pass. */
  readonly heartbeat: Heartbeat
  readonly driftWatcher: DriftWatcher
  readonly onGate: OnGate
  /** Resolves with the cluster of the releases; see `Contact`. */
  readonly connect: () => Promise<ClusterConnection>
  /** Has children do the actions of plans; undefined where this process does them. */
  readonly dispatcher: Dispatcher | undefined
}
