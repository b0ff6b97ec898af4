import type {Values} from '../base/values.ts'
import type {StatedRequirement} from '../environment/environment.ts'
import type {Evidence} from '../release.ts'

/** A requirement that a chart states in its `Chart.yaml`, with the annotation as evidence. */
export interface ChartRequirement extends StatedRequirement {
  /** It counts only where the release is there for another reason: `ceph?`. */
  readonly optional: boolean
  readonly evidence: Evidence
}

/** The directory of a `file://` dependency, and those that it depends on itself. */
export interface Library {
  readonly name: string
  readonly directory: string
  readonly libraries: readonly Library[]
  /** What is known of a chart that kk carries, or whose files have not changed: they need not be read for it. */
  readonly known?: KnownChart
}

/**
 * The place at which the templates of a chart look for what charts share. `kk`: below `global.endpoints`, with the library `common`;
 * `openstack-helm`: below `endpoints`, with helm-toolkit.
 */
export type Dialect = 'kk' | 'openstack-helm'

/** What the files of a chart say. */
export interface KnownChart {
  readonly dialect?: Dialect
  /** Its defaults. */
  readonly values: Values
  /** The text of its own templates. */
  readonly templates: string
  /** The words of all its templates that `mentioned` asks for, one a line. */
  readonly words: string
  /** As `digestChart` returns it. */
  readonly digest: string
}

/** A chart that was found and read. */
export interface Chart extends Library {
  readonly version: string
  /** Empty when the chart does not say. */
  readonly appVersion: string
  readonly type: 'application' | 'library'
  /** A constraint on the version of Kubernetes, as Helm reads it. */
  readonly kubeVersion?: string
  /** What a deprecated chart says that it is. */
  readonly deprecated?: string
  /** An unpacked directory; never written to. */
  readonly directory: string
  /** For people: where it was found. */
  readonly origin: string
  /** The SHA-256 of the package that it was unpacked from; what `digest` in `kk.charts` locks. */
  readonly packageDigest?: string
  readonly requires: readonly ChartRequirement[]
  readonly protected: boolean
  /** It says itself what it requires, or that it is protected: nothing is inferred unless told. */
  readonly annotated: boolean
  /** A chart that names it in its configuration requires it. */
  readonly sharedInfrastructure: boolean
  /** The libraries that `vendorCharts` puts into `charts/`, whatever stands there. */
  readonly libraries: readonly Library[]
}
