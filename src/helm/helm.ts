import type {Values} from '../base/values.ts'
import type {Redact} from '../redact/redact.ts'

export interface HelmVersion {
  readonly major: 3 | 4
  readonly minor: number
  /** The version as helm prints it, e.g. `v4.2.4`. */
  readonly text: string
}

/** The input of every helm call on a release. */
export interface ReleaseCall {
  readonly name: string
  readonly namespace: string
  /** An unpacked chart with its library vendored; never the user's own directory. */
  readonly chart: string
  /** Passed on standard input as JSON. */
  readonly values: Values
  /** `kk.releases.NAME.timeout`, if set: the limit for rendering the chart. */
  readonly timeoutSeconds?: number | undefined
  /**
   * Masks the secrets of the whole environment in helm's error output; those of `values` are always masked.
   */
  readonly mask?: Redact | undefined
}

/** The options of one operation: its timeout, its abort signal, and a callback for its process. */
export interface OperationOptions {
  readonly timeoutSeconds: number
  readonly signal?: AbortSignal
  /** Called with the process id when helm has started. */
  readonly onStarted?: (pid: number) => void
  /** Additional environment variables of the process, by which it can be found again. */
  readonly env?: Readonly<Record<string, string>>
}

/** The options of a change of a release. Labels whose value is `null` are removed (upgrade only). */
export interface ChangeOptions extends OperationOptions {
  readonly labels: Readonly<Record<string, string | null>>
  readonly description?: string
  readonly createNamespace?: boolean
  /** Install only: replace the history of an uninstalled release. */
  readonly replace?: boolean
  /** Take over fields from other managers (helm 4, for a release with server-side apply). */
  readonly forceConflicts?: boolean
  /** Take over existing objects that belong to another release or to none. */
  readonly takeOwnership?: boolean
}

/** A rollback of a release. */
export interface RollbackCall {
  readonly name: string
  readonly namespace: string
  /** The revision to roll back to; helm copies it to a new one. */
  readonly revision: number
  /** The values of the revisions concerned: their secrets are masked in helm's output. Not passed to helm. */
  readonly values: Values
}

/** The uninstallation of a release. */
export interface UninstallCall {
  readonly name: string
  readonly namespace: string
  /** The values of the last revision: their secrets are masked in helm's output. Not passed to helm. */
  readonly values: Values
}

/** A test of a release. */
export interface TestCall {
  readonly name: string
  readonly namespace: string
  /** The names of the hooks to run, or not to run. Defaults to all. */
  readonly filter?: {readonly only: readonly string[]} | {readonly except: readonly string[]}
  /** The values of the last revision: their secrets are masked in helm's output. Not passed to helm. */
  readonly values: Values
}

export interface TemplateOptions {
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
  readonly isUpgrade?: boolean
  /**
   * Whether `lookup` reads the cluster. Helm 4 then also knows only the kinds that the cluster serves, and
   * fails for objects of others.
   */
  readonly looksUp?: boolean
  readonly showOnly?: readonly string[]
  /** Whether to include the hooks of `helm test`. */
  readonly withTests?: boolean
  /** Whether to skip the validation of values by the chart's schemas. */
  readonly skipSchema?: boolean
}

/** A release that helm has just changed, as helm reports it. */
export interface ChangedRelease {
  readonly revision: number
  readonly status: string
  /** The rendered objects as one YAML stream, without hooks. */
  readonly manifest: string
  /** The rendered object of each hook. */
  readonly hooks: readonly string[]
}

/**
 * The helm binary on one cluster. Values never reach argv and are masked in output. Every function throws
 * `KK_HELM_FAILED` with helm's last lines, or `KK_RENDER` or `KK_VALUES` if helm reports such an error.
 */
export interface Helm {
  readonly path: string
  readonly version: HelmVersion
  install(call: ReleaseCall, options: ChangeOptions): Promise<ChangedRelease>
  upgrade(call: ReleaseCall, options: ChangeOptions): Promise<ChangedRelease>
  /**
   * Rolls back. Helm does not report the new revision, and copies the labels of the revision it rolls back
   * to.
   */
  rollback(call: RollbackCall, options: OperationOptions): Promise<void>
  /** Deletes the objects of the last revision, then all records. An interrupted uninstall can be repeated. */
  uninstall(call: UninstallCall, options: OperationOptions): Promise<void>
  /** Runs the test hooks of the last revision, and writes their results into its record. */
  test(call: TestCall, options: OperationOptions): Promise<void>
  /**
   * Returns what an upgrade to this revision (2 or later) would apply, whatever revision the release has: a
   * YAML stream without the tests, with `lookup` reading the cluster. Changes nothing.
   */
  previewUpgrade(call: ReleaseCall, revision: number): Promise<string>
  /** Returns the rendered YAML stream; offline unless `looksUp` is set. */
  template(call: ReleaseCall, options?: TemplateOptions): Promise<string>
}
