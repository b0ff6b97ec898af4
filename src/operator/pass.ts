import type {Cluster} from '../cluster/cluster.ts'
import type {Helm} from '../helm/helm.ts'
import type {Interruption} from '../run/interruption.ts'
import type {statusReader} from '../verbs/observation/status.ts'
import type {UsesReader} from '../verbs/preparation/uses-reader.ts'
import type {Supplied} from '../verbs/secrets/supply-secrets.ts'
import type {Orders} from './children/orders.ts'
import type {DriftWatch} from './drift-watch.ts'
import type {Phase} from './findings.ts'
import type {EnvironmentStatus} from './kinds/environment-kind.ts'
import type {QuietFor} from './queue.ts'
import type {SourceText} from './source.ts'

export interface OperatorPorts {
  readonly cluster: Cluster
  readonly helm: Helm
  /** Reads an environment file and prepares it with the overrides and the secrets that the cluster keeps. */
  readonly open: (name: string, source: SourceText) => Promise<Supplied>
}

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
export type Memory = Pick<EnvironmentStatus, 'inputs' | 'begun' | 'failed' | 'deployed' | 'retried' | 'run'>

/** A look at the releases of one target: it downloads each record once, however often it is read. */
export interface Look {
  readonly target: string
  readonly read: ReturnType<typeof statusReader>
}

export interface Pass {
  readonly telling: Telling
  readonly interruption: Interruption
  /** Said again and again: how long nothing may be heard of the pass. */
  readonly quietFor: QuietFor
  readonly readUses: UsesReader
  readonly drifts: DriftWatch
  /** Has children do the actions of plans; undefined where this process does them. */
  readonly orders: Orders | undefined
  /** Returns the look of an earlier pass at the same target, or makes one. */
  readonly lookOf: (target: string, make: () => Look['read']) => Look
}
