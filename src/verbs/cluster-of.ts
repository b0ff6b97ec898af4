import type {ApiServer} from '../kubernetes/api/api-server.ts'
import type {ClusterIdentity} from '../kubernetes/api/identity.ts'
import type {Plan} from '../plan/plan.ts'

/**
 * Returns the cluster fields of a plan: context, API server, and identity, which is read if it is not passed.
 */
export async function planCluster(
  cluster: {readonly context: string; readonly server: string; readonly apiServer: ApiServer},
  identity?: ClusterIdentity,
): Promise<Plan['cluster']> {
  return {
    context: cluster.context,
    server: cluster.server,
    ...(identity ?? (await cluster.apiServer.identity())),
  }
}
