import type {Values} from '../base/values.ts'
import type {Redact} from '../redact/redact.ts'

export interface HelmVersion {
  readonly major: 3 | 4
  readonly minor: number
  /** As helm prints it, e.g. `v4.2.4`. */
  readonly text: string
}

/** The input of every helm call on a release. */
export interface ReleaseCall {
  readonly name: string
  readonly namespace: string
  /** An unpacked chart with its library vendored; never the user's own directory. */
  readonly chart: string
  /** Handed over on standard input as JSON. */
  readonly values: Values
  /** `kk.releases.NAME.timeout`, where it is stated: it bounds how long the chart may render. */
  readonly timeoutSeconds?: number | undefined
  /** Masks the secrets of its whole environment in what helm prints of a failure; those of `values` are masked anyway. */
  readonly mask?: Redact | undefined
}

/** The options of one operation: its limit in time, what ends it before, and who is told of its process. */
export interface OperationOptions {
  readonly timeoutSeconds: number
  readonly signal?: AbortSignal
  /** Told the process id when helm has been started. */
  readonly onStarted?: (pid: number) => void
  /** Variables that it is started with, beside those of every helm: by these it is found again. */
  readonly env?: Readonly<Record<string, string>>
}

/** The options of a change of a release. Labels whose value is `null` are taken away (upgrade only). */
export interface ChangeOptions extends OperationOptions {
  readonly labels: Readonly<Record<string, string | null>>
  readonly description?: string
  readonly createNamespace?: boolean
  /** Install only: over the history of a release that was uninstalled. */
  readonly replace?: boolean
  /** Take fields from other managers (helm 4, for a release that is applied on the server side, as each that it installs). */
  readonly forceConflicts?: boolean
  /** Take objects that are there and of no release, or of another. */
  readonly takeOwnership?: boolean
}

/** A release and the revision that it is brought back to. */
export interface RollbackCall {
  readonly name: string
  readonly namespace: string
  /** The revision to return to; helm copies it to a new one. */
  readonly revision: number
  /** Of the revisions concerned: their secrets are masked in what helm says. Not handed to helm. */
  readonly values: Values
}

/** A release that is uninstalled. */
export interface UninstallCall {
  readonly name: string
  readonly namespace: string
  /** Of the last revision: its secrets are masked in what helm says. Not handed to helm. */
  readonly values: Values
}

/** A release that is tested. */
export interface TestCall {
  readonly name: string
  readonly namespace: string
  /** Of the last revision: its secrets are masked in what helm says. Not handed to helm. */
  readonly values: Values
}

export interface TemplateOptions {
  readonly kubeVersion?: string
  readonly apiVersions?: readonly string[]
  readonly isUpgrade?: boolean
  /**
   * Let `lookup` find what the cluster has. Helm 4 then takes the kinds, too, from the cluster alone, and fails for objects
   * of others.
   */
  readonly looksUp?: boolean
  readonly showOnly?: readonly string[]
  /** Also the hooks of `helm test`. */
  readonly withTests?: boolean
  /** Do not hold the values against the schemas of the chart. */
  readonly skipSchema?: boolean
}

/** A release that helm has just changed, as helm tells of it. */
export interface ChangedRelease {
  readonly revision: number
  readonly status: string
  /** The rendered objects as one YAML stream, without hooks. */
  readonly manifest: string
  /** Each hook's rendered object. */
  readonly hooks: readonly string[]
}

/**
 * The helm binary, on one cluster. Values never reach argv; output is cleaned of them.
 * Every function throws `KK_HELM_FAILED` with helm's last lines, or `KK_RENDER` / `KK_VALUES` where helm says so.
 */
export interface Helm {
  readonly path: string
  readonly version: HelmVersion
  install(call: ReleaseCall, options: ChangeOptions): Promise<ChangedRelease>
  upgrade(call: ReleaseCall, options: ChangeOptions): Promise<ChangedRelease>
  /** Helm says nothing of the revision that it makes, and copies the labels of the one it returns to. */
  rollback(call: RollbackCall, options: OperationOptions): Promise<void>
  /** Takes the objects of the last revision away, then all records; one that was cut short is finished by another. */
  uninstall(call: UninstallCall, options: OperationOptions): Promise<void>
  /** Runs the test hooks of the last revision, and writes how they ended into its record. */
  test(call: TestCall, options: OperationOptions): Promise<void>
  /**
   * Returns what an upgrade that makes this revision (2 or later) would apply, whichever the release has: a YAML
   * stream without the tests, with what `lookup` finds on the cluster. Changes nothing.
   */
  previewUpgrade(call: ReleaseCall, revision: number): Promise<string>
  /** The rendered YAML stream; offline unless it is to look objects up. */
  template(call: ReleaseCall, options?: TemplateOptions): Promise<string>
}
