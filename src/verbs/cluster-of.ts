import type {Cluster, ClusterIdentity} from '../kubernetes/cluster.ts'
import type {Plan} from '../plan/plan.ts'

/** Returns the cluster as a plan names it: the context, the API server, and which cluster answers there, unless that is `known`. */
export async function clusterOf(
  cluster: Pick<Cluster, 'context' | 'server' | 'identity'>,
  known?: ClusterIdentity,
): Promise<Plan['cluster']> {
  return {context: cluster.context, server: cluster.server, ...(known ?? (await cluster.identity()))}
}
