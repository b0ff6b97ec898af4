import type {Values} from '../../base/values.ts'
import type {ReleaseId} from '../../release.ts'

/** The last revision of a release, from the metadata of its record alone. */
export interface ReleaseRecord {
  readonly release: ReleaseId
  readonly revision: number
  /** Helm's status: `deployed`, `failed`, `pending-install`, `uninstalling`, … */
  readonly status: string
  readonly labels: Readonly<Record<string, string>>
  /** Name, UID and resourceVersion of the Secret. */
  readonly secret: {
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
    /** ISO 8601, by the clock of the API server. */
    readonly createdAt?: string
  }
}

/** All releases in helm's Secrets, by metadata alone. */
export interface EveryRecord {
  /** Every revision; those of a release are ascending. */
  readonly records: readonly ReleaseRecord[]
  /** Secrets that belong to no release, as `namespace/name`: renamed, or without helm's labels. */
  readonly strays: readonly string[]
}

/** The last run of a hook, as helm recorded it. */
interface HookRun {
  readonly manifest: string
  /** `Succeeded`, `Failed`, `Running`; empty if it has not run. */
  readonly phase: string
  /** ISO 8601, by the clock of the machine that ran helm. */
  readonly completedAt?: string
}

/** A record with its payload decoded. */
export interface StoredRelease extends ReleaseRecord {
  readonly manifest: string
  /** The values that helm received, without the defaults of the chart. */
  readonly values: Values
  readonly hooks: readonly string[]
  /** The hooks that succeeded at this revision. */
  readonly ranHooks?: readonly string[]
  /** The hooks that did not succeed at this revision: they failed, were interrupted, or were not run. */
  readonly openHooks?: readonly string[]
  /**
   * The last run of each hook at this revision; a rollback copies those of the revision that it returns to.
   */
  readonly hookRuns?: readonly HookRun[]
  /** Whether helm created the revision by an install, not by an upgrade or a rollback. */
  readonly isInstall?: boolean
  readonly chart: {
    readonly name: string
    readonly version: string
    readonly appVersion: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  /** The files in `crds/` of the chart itself, as YAML. */
  readonly crds?: readonly string[]
  /** The time at which helm finished this revision, or started it, as helm wrote it (ISO 8601). */
  readonly deployedAt?: string
  /** `ssa` for a release that helm 4 applied on the server side. */
  readonly applyMethod: string | undefined
  /**
   * The namespace of the objects as helm wrote it. Flux can store records in another one
   * (`storageNamespace`).
   */
  readonly namespace?: string
  /** The size of the Secret's data in bytes; the API server accepts at most 1 MiB. */
  readonly bytes?: number
}
