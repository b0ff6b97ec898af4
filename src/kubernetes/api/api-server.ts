import {listCustomKinds} from '../inventory/custom-kinds.ts'
import type {ApiClient} from './client.ts'
import type {ServedKinds} from './discovery.ts'
import {type ClusterIdentity, expectReady, readIdentity} from './identity.ts'

/**
 * The identity, readiness and served kinds of an API server. Every function throws like those of `Cluster`.
 */
export interface ApiServer {
  /** Returns UID and version of the cluster. Throws `KK_KUBERNETES_VERSION` for an unsupported version. */
  identity(): Promise<ClusterIdentity>
  /** Throws `KK_UNREACHABLE` while the API server reports that it is not ready. */
  expectReady(): Promise<void>
  /**
   * Returns the custom kinds that are served, in the form of Helm's API versions: `group/version` and
   * `group/version/Kind`, sorted.
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
