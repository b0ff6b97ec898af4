import type {ValuePath} from '../../overrides/secrets.ts'
import type {OverriddenChart} from '../../overrides/service.ts'
import type {OverrideStore} from '../../overrides/user/store.ts'
import type {Values} from '../../release.ts'

/** What the deployer's overrides lie upon. */
export interface OverrideBase {
  /** The charts that are active, by name. */
  active(): Promise<readonly OverriddenChart[]>
  /** The system overrides of a chart that is active there. */
  system(name: string, namespace: string): Promise<Values>
  /** All layers between the chart's defaults and the deployer's overrides, merged. */
  below(name: string, namespace: string): Promise<Values>
  /** The places among the chart's values where secrets stand. */
  secretPaths(name: string): Promise<readonly ValuePath[]>
}

/** What overrides are read from, and by whom they are changed. */
export interface OverrideWorld {
  readonly base: OverrideBase
  readonly store: Pick<OverrideStore, 'get' | 'put'>
  /** For the history: who changes something. */
  readonly who: string
  /** Whether values may be set that plugins call secret. */
  readonly allowSecrets: boolean
}
