import type {Edge} from '../graph/graph.ts'
import type {LayerName} from '../overrides/layer.ts'
import type {StoreIdentity} from '../overrides/user/store.ts'
import type {ReleaseId} from '../release.ts'

/** What a layer gives to a release, without its values. */
export interface LayerDigest {
  readonly name: LayerName
  /** 64 hex. */
  readonly digest: string
}

/** Which store, and after how many changes. */
export type StoreStamp = Pick<StoreIdentity, 'id' | 'state'>

/** What a release is to be. Holds no values: those go to the run beside the plan. */
export interface DesiredRelease {
  readonly release: ReleaseId
  readonly chart: {
    readonly name: string
    readonly version: string
    readonly appVersion: string
    /** Over the chart's files with the vendored library, hex. */
    readonly digest: string
  }
  /** Of `layerDigests`. */
  readonly layers: readonly LayerDigest[]
  /** The edges that leave it in the graph. */
  readonly requirements: readonly Pick<Edge, 'to' | 'kind'>[]
  /** The environment that plans. */
  readonly owner: string
  /** The file has a section for it; otherwise it is only required. */
  readonly stated: boolean
  readonly protected: boolean
  /** The store of the deployer's overrides that is in use; undefined without one. Decides nothing of the release. */
  readonly store?: StoreStamp
}
