import {setTimeout as sleep} from 'node:timers/promises'
import type {Allowance} from '../../base/allowance.ts'
import type {Helm, HelmVersion} from '../../helm/helm.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {DryRuns} from '../../kubernetes/dry-run/dry-runs.ts'
import type {HealthChecks} from '../../kubernetes/gate/health-checks.ts'
import type {HeldLease, Leases} from '../../kubernetes/lease/leases.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {Reservations} from '../../kubernetes/reservations/reservation.ts'
import type {Action, ActionKind} from '../../plan/plan.ts'
import type {Redact} from '../../redact/redact.ts'
import type {ReleaseId} from '../../release.ts'
import type {Journal} from '../journal.ts'
import type {Controls} from '../task.ts'
import type {Agreement} from './agreement.ts'

/** The dependencies of a run. */
export interface Tools {
  readonly helm: Pick<Helm, 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test'> & {
    readonly version: Pick<HelmVersion, 'major'>
  }
  readonly cluster: {
    readonly leases: Leases
    readonly records: Records
    readonly live: LiveObjects
    readonly dryRuns: DryRuns
    readonly health: HealthChecks
    readonly apiServer: ApiServer
    readonly reservations: Reservations
  }
  /** The name of the environment. */
  readonly environment: string
  /** The run's id. */
  readonly run: string
  /** The holder of the Leases, as shown to others: user, host, process. */
  readonly holder: string
  /** Takes Leases; those of a group all together. */
  readonly hold: Hold
  /** Whether to wait while another run holds a release. */
  readonly waits: boolean
  /** The agreement of removals. */
  readonly agreement: Agreement
  readonly clock: Clock
  readonly journal: Journal
  /** Masks the secrets of all releases of the environment. */
  readonly mask: Redact
}

export interface HoldRequest {
  readonly release: ReleaseId
  /** Whether to take its Lease without those of its group. */
  readonly isAlone?: boolean
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /**
   * Called with the release whose Lease is held (the release itself, or a member of its group) and the
   * holder.
   */
  readonly onHeld: (release: ReleaseId, by: string) => void
}

/**
 * Takes the Lease of a release, once per run. Members of a group get theirs together or not at all. Throws
 * `KK_HELD` if one is held until the deadline.
 */
export type Hold = (request: HoldRequest) => Promise<HeldLease>

/** One action with everything that it needs. */
export interface Execution<K extends ActionKind = ActionKind> extends Tools {
  readonly action: Action<K>
  readonly controls: Controls
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** The time after which a node that is rolled has failed, in milliseconds. */
  readonly nodeTimeoutMs: number
  /** As in `GateOptions`. */
  readonly unavailable?: Allowance | undefined
  /** Masks the secrets among the release's values, if they are known. */
  readonly redact?: Redact
}

/** A clock, passed in so that tests do not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after the time with true, or with false if the signal aborts first. Never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>
}

export const systemClock: Clock = {
  now: Date.now,
  wait: (milliseconds, signal) =>
    sleep(milliseconds, undefined, {signal}).then(
      () => true,
      () => false,
    ),
}

/**
 * Masks the secrets of the release and of its environment: a pod may print the secrets of another release.
 */
export function masking({mask, redact = (text) => text}: Pick<Execution, 'mask' | 'redact'>): Redact {
  return (text) => mask(redact(text))
}
