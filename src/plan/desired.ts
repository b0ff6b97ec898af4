import type {Edge} from '../graph/graph.ts'
import type {LayerName} from '../overrides/layer.ts'
import type {StoreIdentity} from '../overrides/user/store.ts'
import type {ReleaseId} from '../release.ts'

/** The digest of one layer's values for a release, without the values. */
export interface LayerDigest {
  readonly name: LayerName
  /** The digest, 64 hex digits. */
  readonly digest: string
}

/** The id of a store and the number of its changes so far. */
export type StoreStamp = Pick<StoreIdentity, 'id' | 'state'>

/** A release in its desired state. It holds no values: those are passed to the run next to the plan. */
export interface DesiredRelease {
  readonly release: ReleaseId
  readonly chart: {
    readonly name: string
    readonly version: string
    readonly appVersion: string
    /** The digest over the chart's files with the vendored library, in hex. */
    readonly digest: string
  }
  /** The layers, from `layerDigests`. */
  readonly layers: readonly LayerDigest[]
  /** Its outgoing edges in the graph. */
  readonly requirements: readonly Pick<Edge, 'to' | 'kind'>[]
  /** The environment that makes the plan. */
  readonly owner: string
  /**
   * Set for one of several releases of a section: the id that the section would have as one release, and its
   * part's name.
   */
  readonly part?: {readonly section: ReleaseId; readonly name: string}
  /** Whether the file has a section for it; otherwise it is only a requirement. */
  readonly stated: boolean
  readonly protected: boolean
  /** The override store in use; undefined without one. It does not affect the release. */
  readonly store?: StoreStamp
}
