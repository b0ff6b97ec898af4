import type {ValuePath} from '../../helm/redact/values.ts'
import type {Layer} from '../../overrides/layer.ts'
import type {OverriddenChart} from '../../overrides/service.ts'
import type {FoundChart} from '../../overrides/system/plugins.ts'
import type {OverrideStore} from '../../overrides/user/store.ts'
import type {Values} from '../../release.ts'

/** What the deployer's overrides lie upon. */
export interface OverrideBase {
  /** The charts that are active, by name. */
  active(): Promise<readonly OverriddenChart[]>
  /** Nobody says which charts there are: those that are active are only those that plugins are for. */
  readonly isAssumed?: boolean
  /** The layers between the defaults of a chart that is active there and the deployer's overrides, weakest first. */
  layers(name: string, namespace: string): Promise<readonly Layer[]>
  /** The names of the chart's releases there, active or not; undefined where no environment tells which there are. */
  releases(name: string, namespace: string): readonly string[] | undefined
  /**
   * Asks whether the chart's schema accepts what these overrides of the deployer make of the values. Rejects with
   * `KK_VALUES`; without a chart, or without a helm, nothing is asked.
   */
  check?(name: string, namespace: string, user: Values): Promise<void>
  /** The places among the values of a chart, or of those of this name, where secrets stand. */
  secretPaths(chart: string | FoundChart): Promise<readonly ValuePath[]>
}

/** What overrides are read from, and by whom they are changed. */
export interface OverrideWorld {
  readonly base: OverrideBase
  readonly store: Pick<
    OverrideStore,
    'get' | 'update' | 'put' | 'audit' | 'list' | 'secrets' | 'identity' | 'putAll'
  >
  /** For the history: who changes something. */
  readonly who: string
  /** Whether values may be set that plugins call secret. */
  readonly allowSecrets: boolean
}
