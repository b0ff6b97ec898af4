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
  /** YAML with innermost collections in flow style: `pod:\n  replicas: {server: 1}\n`. */
  readonly systemOverrides: string
  readonly userOverrides: string
  /** All layers above the chart's defaults. */
  readonly combinedOverrides: string
  /** Changes whenever the user overrides change; for compare-and-swap. */
  readonly etag: string | undefined
}

export interface OverrideUpdate {
  /** `reuse` starts from the stored overrides, `reset` from nothing. */
  readonly flag: 'reuse' | 'reset'
  readonly values: {
    /** YAML contents, merged in order, before the expressions. */
    readonly files: readonly {readonly source: string; readonly text: string}[]
    /** The expressions in the grammar of `helm --set`. */
    readonly set: readonly string[]
    readonly setString: readonly string[]
  }
}

/** The etags ('' is none, `*` any); if no etag matches the overrides, `KK_STORE_CONFLICT`. */
export type Condition = readonly string[]

export interface RequestedUpdate extends OverrideUpdate {
  readonly ifMatch?: Condition
  /** Returns the would-be overrides without changing anything. */
  readonly dryRun?: boolean
  /** Includes secrets in the result; masked by default. */
  readonly showSecrets?: boolean
}

export interface RequestedImport {
  /** The name of the document in messages. */
  readonly file: string
  /** Deletes overrides that the document does not have. */
  readonly prune: boolean
  /** Returns the changes without writing them. */
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

/** Shows and changes overrides: in the store directly, or through a server. Both behave the same. */
export interface OverrideService {
  /** Returns the active charts, by name. */
  charts(): Promise<readonly OverriddenChart[]>
  /**
   * Rejects with `KK_UNKNOWN_CHART` or `KK_UNKNOWN_NAMESPACE`, with a suggestion; masks secrets by default.
   */
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
  /** Succeeds also if there is nothing to delete. */
  delete(name: string, namespace: string, options?: {readonly ifMatch?: Condition}): Promise<void>
  /**
   * Returns the changes, newest first: of one chart, or of all; masked as in `show`. With a limit, the result
   * may have fewer entries if they are long; `before` continues after the last of them, until there are none.
   */
  history(
    of?: ChartPlace,
    options?: AuditPage & {readonly showSecrets?: boolean},
  ): Promise<readonly AuditEntry[]>
  /**
   * Returns all stored overrides and secrets without the history, as one YAML; encrypted ones stay so without
   * `showSecrets`.
   */
  export(options?: {readonly showSecrets?: boolean}): Promise<string>
  /** Rejects with the errors of the document, and as `update`; then nothing is changed. */
  import(document: string, how: RequestedImport): Promise<ImportedContent>
}
