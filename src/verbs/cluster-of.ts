import type {Cluster} from '../cluster/cluster.ts'
import type {Plan} from '../plan/plan.ts'

/** Returns the cluster as a plan names it: the context, the API server, and which cluster answers there. */
export async function clusterOf(
  cluster: Pick<Cluster, 'context' | 'server' | 'identity'>,
): Promise<Plan['cluster']> {
  return {context: cluster.context, server: cluster.server, ...(await cluster.identity())}
}
