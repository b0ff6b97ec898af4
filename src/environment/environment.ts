import type {ReadinessRules} from '../cluster/gate/readiness/rules.ts'
import type {EdgeKind, Position, Values} from '../release.ts'

/** Where charts come from, in the order of `kk.charts`; the first that has the chart wins. */
export type ChartSource =
  | {readonly kind: 'directory'; readonly path: string}
  | {readonly kind: 'repository'; readonly url: string; readonly version?: string; readonly digest?: string}
  | {readonly kind: 'oci'; readonly url: string; readonly version?: string; readonly digest?: string}
  /** The charts that kk carries. */
  | {readonly kind: 'built-in'}

/** A requirement as it is written: `placement`, `neutron:applied`, `other-namespace/mariadb`. */
export interface StatedRequirement {
  readonly release: string
  readonly namespace?: string
  readonly kind: EdgeKind
  readonly position?: Position
}

/** An entry of `kk.releases`: only what differs from "chart X as release X in the default namespace". */
export interface ReleaseSettings {
  readonly chart?: string
  readonly version?: string
  readonly namespace?: string
  readonly requires: readonly StatedRequirement[]
  readonly without: readonly string[]
  readonly protected?: boolean
  /** Whether requirements are inferred; by default those of charts that state none. */
  readonly infer?: boolean
  readonly timeoutSeconds?: number
  /** Whether kk makes what nobody states of its passwords and keys; by default as the environment says. */
  readonly secrets?: boolean
}

export interface Environment {
  readonly name: string
  /** As the user wrote it; `-` for standard input. */
  readonly file: string
  /** Relative paths in the file start here. */
  readonly directory: string
  readonly namespace: string
  readonly context: string | undefined
  readonly charts: readonly ChartSource[]
  readonly features: readonly string[]
  /** Whether requirements of charts that state none are inferred from what they render. */
  readonly infer: boolean
  /** Whether kk makes passwords and keys that nobody states. */
  readonly secrets: boolean
  /** Objects that are there without a chart of this environment: `Secret/tls`. */
  readonly given: readonly string[]
  /** When objects of a kind are ready, by `Kind.group`. */
  readonly readiness: ReadinessRules
  readonly releases: ReadonlyMap<string, ReleaseSettings>
  readonly global: Values | undefined
  /** The values of each release that is wanted, in the order of the file; `{}` for an empty or null section. */
  readonly sections: ReadonlyMap<string, Values>
  /** Where a key stands; the index behind it is built at the first call. */
  position(path: readonly (string | number)[]): Position | undefined
}
