import type {Objects} from '../kubernetes/objects/objects.ts'
import type {Interruption} from '../run/interruption.ts'
import type {Orders} from './children/orders.ts'
import type {DriftWatch} from './drift-watch.ts'
import type {Phase} from './findings.ts'
import type {GateResult} from './follow-run.ts'
import type {EnvironmentStatus} from './kinds/environment-kind.ts'
import type {QuietFor} from './queue.ts'
import type {Site} from './sites.ts'

/** What one pass over an Environment writes on the way. */
export interface Telling {
  /** Writes how far the Environment is, with what is to be remembered of it. */
  tell(phase: Phase, memory?: Memory): Promise<void>
  /** Takes note of what is written with all that is told from now on. */
  remember(memory: Memory): void
  /** As `tell`, but soon: what comes meanwhile is told instead. */
  tellSoon(phase: Phase): void
}

/** What later passes have to know. */
export type Memory = Pick<
  EnvironmentStatus,
  'inputs' | 'approved' | 'begun' | 'failed' | 'deployed' | 'retried' | 'run'
>

/** Told how long the gate of a release of a chart was closed, in seconds. */
export type OnGate = (chart: string, result: GateResult, seconds: number) => void

export interface Pass {
  /** Objects of the cluster that has the Environments. */
  readonly hub: Pick<Objects, 'read' | 'merge'>
  readonly telling: Telling
  readonly interruption: Interruption
  /** Said again and again: how long nothing may be heard of the pass. */
  readonly quietFor: QuietFor
  readonly drifts: DriftWatch
  readonly onGate: OnGate
  /** Resolves with the cluster of the releases; see `Contact`. */
  readonly reach: () => Promise<Site>
  /** Has children do the actions of plans; undefined where this process does them. */
  readonly orders: Orders | undefined
}
