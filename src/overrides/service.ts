import type {ExplainedKey} from './explain.ts'
import type {AuditEntry, AuditPage, ChartPlace} from './user/store.ts'

/** A chart that has overrides, with its namespaces; both sorted. */
export interface OverriddenChart {
  readonly name: string
  readonly namespaces: readonly string[]
}

/** The overrides of one chart in one namespace, as YAML; "" for none. */
export interface ShownOverrides {
  readonly name: string
  readonly namespace: string
  /** Innermost collections in flow style: `pod:\n  replicas: {server: 1}\n`. */
  readonly systemOverrides: string
  readonly userOverrides: string
  /** Every layer above the chart's defaults. */
  readonly combinedOverrides: string
  /** Changes with the user overrides; for compare-and-swap. */
  readonly etag: string | undefined
}

export interface OverrideUpdate {
  /** `reuse` starts from the stored overrides, `reset` from nothing. */
  readonly flag: 'reuse' | 'reset'
  readonly values: {
    /** YAML contents, merged in order, before the expressions. */
    readonly files: readonly {readonly source: string; readonly text: string}[]
    /** In the grammar of `helm --set`. */
    readonly set: readonly string[]
    readonly setString: readonly string[]
  }
}

/** The etags of which one must be that of the overrides ('' is none, `*` any), else `KK_STORE_CONFLICT`. */
export type Condition = readonly string[]

export interface RequestedUpdate extends OverrideUpdate {
  readonly ifMatch?: Condition
  /** Nothing is changed: the answer is what they would be. */
  readonly dryRun?: boolean
  /** Secrets are shown in the answer; masked by default. */
  readonly showSecrets?: boolean
}

export interface RequestedImport {
  /** The name of the document in messages. */
  readonly file: string
  /** Overrides that the document does not have are deleted. */
  readonly prune: boolean
  /** Nothing is written: the answer is what would change. */
  readonly dryRun: boolean
}

/** The changes of an import. */
export interface ImportedContent {
  readonly changed: readonly (ChartPlace & {readonly action: 'set' | 'delete'})[]
  /** Generated secrets that are added or replaced. */
  readonly secrets: readonly ChartPlace[]
  /** The id of the store that a new one becomes. */
  readonly becomes?: string
}

/** Shows and changes overrides: on the store directly, or through a server. Both behave the same. */
export interface OverrideService {
  /** Returns the charts that are active, by name. */
  charts(): Promise<readonly OverriddenChart[]>
  /** Rejects with `KK_UNKNOWN_CHART` or `KK_UNKNOWN_NAMESPACE`, with a suggestion; masks secrets unless told not to. */
  show(name: string, namespace: string, options?: {readonly showSecrets?: boolean}): Promise<ShownOverrides>
  /** Returns for every combined value the layer that won, and those that lost; masked as in `show`. */
  explain(
    name: string,
    namespace: string,
    options?: {readonly showSecrets?: boolean},
  ): Promise<readonly ExplainedKey[]>
  /** Rejects as `show`, as `applyUpdate`, and with `KK_SECRET` for values that may not be set here. */
  update(
    name: string,
    namespace: string,
    change: RequestedUpdate,
  ): Promise<Pick<ShownOverrides, 'name' | 'namespace' | 'userOverrides' | 'etag'>>
  /** Succeeds when there is nothing to delete, too. */
  delete(name: string, namespace: string, options?: {readonly ifMatch?: Condition}): Promise<void>
  /**
   * Returns what was changed, newest first: of one chart, or of all; masked as in `show`. With a limit, fewer where they are long:
   * what is older than the last of them comes with `before`, until there is nothing.
   */
  history(
    of?: ChartPlace,
    options?: AuditPage & {readonly showSecrets?: boolean},
  ): Promise<readonly AuditEntry[]>
  /** Returns all that is stored but its history, as one YAML; what is encrypted stays so unless secrets are to be shown. */
  export(options?: {readonly showSecrets?: boolean}): Promise<string>
  /** Rejects with what is wrong with the document, and as `update`; then nothing is changed. */
  import(document: string, how: RequestedImport): Promise<ImportedContent>
}
