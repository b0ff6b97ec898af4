import {listCustomKinds} from '../inventory/custom-kinds.ts'
import type {ApiClient} from './client.ts'
import type {ServedKinds} from './discovery.ts'
import {type ClusterIdentity, expectReady, readIdentity} from './identity.ts'

/**
 * The API server itself: of which cluster it is, whether it is ready, and what it serves. Every function throws as
 * `Cluster`'s do.
 */
export interface ApiServer {
  /** Returns UID and version of the cluster. Throws `KK_KUBERNETES_VERSION` for one that is too old. */
  identity(): Promise<ClusterIdentity>
  /** Throws `KK_UNREACHABLE` while the API server says that it is not ready. */
  expectReady(): Promise<void>
  /**
   * Returns the custom kinds that are served, as templates ask for them: `group/version` and `group/version/Kind`,
   * sorted.
   */
  customKinds(): Promise<readonly string[]>
}

export function openApiServer(client: ApiClient, discovery: ServedKinds): ApiServer {
  return {
    identity: () => readIdentity(client),
    expectReady: () => expectReady(client),
    customKinds: () => listCustomKinds(discovery),
  }
}
