import type {ApiServer} from '../kubernetes/api/api-server.ts'
import type {ClusterIdentity} from '../kubernetes/api/identity.ts'
import type {Plan} from '../plan/plan.ts'

/** Returns the cluster as a plan names it: the context, the API server, and which cluster answers there, unless that is `known`. */
export async function clusterOf(
  cluster: {readonly context: string; readonly server: string; readonly apiServer: ApiServer},
  known?: ClusterIdentity,
): Promise<Plan['cluster']> {
  return {
    context: cluster.context,
    server: cluster.server,
    ...(known ?? (await cluster.apiServer.identity())),
  }
}
