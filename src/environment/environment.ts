import type {Allowance} from '../base/allowance.ts'
import type {Position} from '../base/position.ts'
import type {ReadinessRules} from '../base/readiness.ts'
import type {Values} from '../base/values.ts'
import type {EdgeKind, Evidence} from '../release.ts'

/** A chart repository with an index over http(s), or a registry. */
export interface RemoteChartSource {
  readonly kind: 'repository' | 'oci'
  readonly url: string
  readonly version?: string
  readonly digest?: string
  /** The file of trusted public keys; each package must be signed by one of them. */
  readonly keyring?: string
}

/** A source of charts. Sources are in the order of `kk.charts`; the first one that has a chart wins. */
export type ChartSource =
  | {readonly kind: 'directory'; readonly path: string}
  | RemoteChartSource
  /** The charts built into kk. */
  | {readonly kind: 'built-in'}

/** A requirement as written in the file: `placement`, `neutron:applied`, `other-namespace/mariadb`. */
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
  /** Whether requirements are inferred. By default they are inferred for charts that declare none. */
  readonly infer?: boolean
  readonly timeoutSeconds?: number
  /** How many pods of each Deployment and DaemonSet its gate need not wait for. */
  readonly unavailable?: Allowance
  /** The revisions of migrations that are accepted although an upgrade would be refused for them. */
  readonly migrations?: readonly string[]
  /**
   * Whether kk generates passwords and keys that no layer specifies. Defaults to the environment's setting.
   */
  readonly secrets?: boolean
  /** Whether the section becomes one release per component of its chart. */
  readonly components?: boolean
}

/** One of the releases of a section with `components: true`. */
export interface Part {
  readonly section: string
  /**
   * The component of the chart; or `common` for everything that belongs to no component, or `rollout` for the
   * jobs that run after the components.
   */
  readonly name: string
  readonly chart: string
  /** The other components of the chart. */
  readonly siblings: readonly string[]
  /** The other components whose number of replicas it gets, for clients or the status of the service. */
  readonly counted: readonly string[]
  /** The other components whose image it needs, for pods that it creates itself. */
  readonly images: readonly string[]
  /** The requirements on the other parts. */
  readonly requires: readonly PartRequirement[]
  /** The position of the key that makes the section several releases. */
  readonly position?: Position
}

interface PartRequirement {
  /** The name of the release. */
  readonly release: string
  readonly kind: EdgeKind
  readonly evidence: Evidence
}

/** A key of a Secret of the cluster; by default in the namespace of the release that gets the value. */
export interface SecretReference {
  readonly secret: string
  readonly key: string
  readonly namespace?: string
}

export interface Environment {
  readonly name: string
  /** The file name as the user typed it; `-` for standard input. */
  readonly file: string
  /** The base directory of relative paths in the file. */
  readonly directory: string
  readonly namespace: string
  readonly context: string | undefined
  readonly charts: readonly ChartSource[]
  readonly features: readonly string[]
  /** Whether requirements are inferred from the rendered objects of charts that declare none. */
  readonly infer: boolean
  /** Whether kk generates passwords and keys that no layer specifies. */
  readonly secrets: boolean
  /** The keys of Secrets that have the value of a password or key, by its name. */
  readonly secretReferences?: ReadonlyMap<string, SecretReference>
  /** Objects that exist on the cluster without a chart of this environment, such as `Secret/tls`. */
  readonly given: readonly string[]
  /** Sections and options below `conf` that are not checked, such as `nova.my_plugin`. */
  readonly allowedConf?: readonly string[]
  /** The readiness rules of custom resources, by `Kind.group`. */
  readonly readiness: ReadinessRules
  readonly releases: ReadonlyMap<string, ReleaseSettings>
  /**
   * The component releases of sections with `components: true`, by name; they replace these sections in
   * `sections` and `releases`.
   */
  readonly parts?: ReadonlyMap<string, Part>
  readonly global: Values | undefined
  /** The values of each wanted release, in the order of the file; `{}` for an empty or null section. */
  readonly sections: ReadonlyMap<string, Values>
  /** Returns the position of a key. The first call builds an index. */
  position(path: readonly (string | number)[]): Position | undefined
}

/** Returns the namespaces of the releases that a file sets, sorted. */
export function namespacesOf({
  namespace,
  releases,
}: Pick<Environment, 'namespace' | 'releases'>): readonly string[] {
  return [...new Set([namespace, ...[...releases.values()].flatMap((each) => each.namespace ?? [])])].sort()
}
