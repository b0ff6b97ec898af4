import type {Values} from '../base/values.ts'
import type {StatedRequirement} from '../environment/environment.ts'
import type {Evidence} from '../release.ts'

/** A requirement that a chart states in its `Chart.yaml`, with the annotation as evidence. */
export interface ChartRequirement extends StatedRequirement {
  /** It applies only if the release exists for another reason: `ceph?`. */
  readonly optional: boolean
  readonly evidence: Evidence
}

/** The directory of a `file://` dependency, and its own dependencies. */
export interface Library {
  readonly name: string
  readonly directory: string
  readonly libraries: readonly Library[]
  /** The facts of a carried or unchanged chart, for which its files need not be read. */
  readonly known?: KnownChart
}

/**
 * The values in which the templates of a chart look for shared settings. `kk`: below `global.endpoints`, with
 * the library `common`; `openstack-helm`: below `endpoints`, with helm-toolkit.
 */
export type Dialect = 'kk' | 'openstack-helm'

/** The facts in the files of a chart. */
export interface KnownChart {
  readonly dialect?: Dialect
  /** The default values. */
  readonly values: Values
  /** The text of its own templates. */
  readonly templates: string
  /** The words of all its templates that `mentioned` queries, one a line. */
  readonly words: string
  /** The digest from `digestChart`. */
  readonly digest: string
}

/** A chart whose metadata has been read. */
export interface Chart extends Library {
  readonly version: string
  /** Empty if the chart does not state one. */
  readonly appVersion: string
  readonly type: 'application' | 'library'
  /** A constraint on the version of Kubernetes, as Helm reads it. */
  readonly kubeVersion?: string
  /** The replacement that a deprecated chart names. */
  readonly deprecated?: string
  /** An unpacked directory; never written to. */
  readonly directory: string
  /** The source of the chart, for people. */
  readonly origin: string
  /** The SHA-256 of the package from which it was unpacked; `digest` in `kk.charts` locks it. */
  readonly packageDigest?: string
  readonly requires: readonly ChartRequirement[]
  readonly protected: boolean
  /** Whether it declares its requirements or protection itself: nothing is inferred by default. */
  readonly annotated: boolean
  /** Whether any chart whose configuration mentions its releases requires it. */
  readonly sharedInfrastructure: boolean
  /** The libraries that `vendorCharts` writes into `charts/`, whatever is there. */
  readonly libraries: readonly Library[]
}
