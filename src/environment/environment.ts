import type {Position} from '../base/position.ts'
import type {ReadinessRules} from '../base/readiness.ts'
import type {Values} from '../base/values.ts'
import type {EdgeKind, Evidence} from '../release.ts'

/** An index over http(s), or a registry. */
export interface RemoteChartSource {
  readonly kind: 'repository' | 'oci'
  readonly url: string
  readonly version?: string
  readonly digest?: string
  /** The file of the keys by one of which each package must be signed. */
  readonly keyring?: string
}

/** A source of charts. The sources stand in the order of `kk.charts`; the first one that has a chart wins. */
export type ChartSource =
  | {readonly kind: 'directory'; readonly path: string}
  | RemoteChartSource
  /** The charts that kk carries. */
  | {readonly kind: 'built-in'}

/** A requirement as it is written: `placement`, `neutron:applied`, `other-namespace/mariadb`. */
export interface StatedRequirement {
  readonly release: string
  readonly namespace?: string
  readonly kind: EdgeKind
  readonly position?: Position
}

/** An entry of `kk.releases`. It states only what differs from "chart X as release X in the default namespace". */
export interface ReleaseSettings {
  readonly chart?: string
  readonly version?: string
  readonly namespace?: string
  readonly requires: readonly StatedRequirement[]
  readonly without: readonly string[]
  readonly protected?: boolean
  /** Whether requirements are inferred. By default they are inferred for charts that state none. */
  readonly infer?: boolean
  readonly timeoutSeconds?: number
  /** Whether kk makes the passwords and keys that nobody states. By default the environment decides. */
  readonly secrets?: boolean
  /** Whether it becomes a release per component of its chart. */
  readonly components?: boolean
}

/** One of the releases that a section becomes with `components: true`. */
export interface Part {
  readonly section: string
  /** The component of the chart that it is; or `common`, what belongs to none, or `rollout`, the jobs that come after the components. */
  readonly name: string
  readonly chart: string
  /** The other components of the chart. */
  readonly others: readonly string[]
  /** Those of the other components whose number of replicas is told to their clients. */
  readonly counted: readonly string[]
  /** What it requires of the other parts. */
  readonly requires: readonly PartRequirement[]
  /** The key in the file that makes a part of it. */
  readonly position?: Position
}

interface PartRequirement {
  /** The name of the release. */
  readonly release: string
  readonly kind: EdgeKind
  readonly evidence: Evidence
}

export interface Environment {
  readonly name: string
  /** The name as the user wrote it; `-` for standard input. */
  readonly file: string
  /** The directory where relative paths in the file start. */
  readonly directory: string
  readonly namespace: string
  readonly context: string | undefined
  readonly charts: readonly ChartSource[]
  readonly features: readonly string[]
  /** Whether requirements of charts that state none are inferred from what they render. */
  readonly infer: boolean
  /** Whether kk makes passwords and keys that nobody states. */
  readonly secrets: boolean
  /** Objects that the cluster has without a chart of this environment, such as `Secret/tls`. */
  readonly given: readonly string[]
  /** The rules that tell when objects of a kind are ready, by `Kind.group`. */
  readonly readiness: ReadinessRules
  readonly releases: ReadonlyMap<string, ReleaseSettings>
  /** The releases that sections with `components: true` become, by name; `sections` and `releases` then have those. */
  readonly parts?: ReadonlyMap<string, Part>
  readonly global: Values | undefined
  /** The values of each release that is wanted, in the order of the file; `{}` for an empty or null section. */
  readonly sections: ReadonlyMap<string, Values>
  /** Returns the position of a key. The first call builds the index. */
  position(path: readonly (string | number)[]): Position | undefined
}
