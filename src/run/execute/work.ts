import type {KubernetesObject} from '../../cluster/cluster.ts'
import type {DesiredRelease} from '../../plan/desired.ts'
import type {Values} from '../../release.ts'

/** Seconds from the start of an action to its passed gate, unless `kk.releases.X.timeout` says otherwise. */
export const DEFAULT_TIMEOUT_SECONDS = 900

/** What is needed to do an action, beside the plan: a plan holds no values. */
export interface Work {
  readonly desired: DesiredRelease
  /** A directory with the library vendored, private to the run. */
  readonly chart: string
  readonly values: Values
  readonly timeoutSeconds: number
  /** What the chart renders, hooks included, as far as that is known before helm runs. */
  readonly objects: readonly KubernetesObject[]
  /** What the chart renders no more, and what would take more with it than itself; see `droppedHolders`. */
  readonly dropped: readonly KubernetesObject[]
  /** Those of them whose namespace or kind did not exist when the plan was validated. */
  readonly unvalidated: readonly KubernetesObject[]
}
