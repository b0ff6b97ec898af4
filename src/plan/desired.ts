import type {Edge} from '../graph/graph.ts'
import type {LayerName} from '../overrides/layer.ts'
import type {StoreIdentity} from '../overrides/user/store.ts'
import type {ReleaseId} from '../release.ts'

/** The digest of what one layer gives to a release, without the values. */
export interface LayerDigest {
  readonly name: LayerName
  /** The digest, 64 hex digits. */
  readonly digest: string
}

/** The id of a store and the number of its changes so far. */
export type StoreStamp = Pick<StoreIdentity, 'id' | 'state'>

/** A release as it is to be. It holds no values: those go to the run beside the plan. */
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
  /** The edges that leave it in the graph. */
  readonly requirements: readonly Pick<Edge, 'to' | 'kind'>[]
  /** The environment that plans. */
  readonly owner: string
  /** What it is of a section that is several releases: the id that the section would have as one, and the name of its part. */
  readonly part?: {readonly section: ReleaseId; readonly name: string}
  /** Whether the file has a section for it; otherwise it is only required. */
  readonly stated: boolean
  readonly protected: boolean
  /** The store of overrides in use; undefined without one. It decides nothing about the release. */
  readonly store?: StoreStamp
}
