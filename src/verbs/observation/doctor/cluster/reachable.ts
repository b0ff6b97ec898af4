import type {Check} from '../finding.ts'

/** Who the cluster is; that it answers was found before. */
export const clusterCheck: Check = {
  name: 'cluster',
  needs: 'cluster',
  fine: 'the cluster answers',
  async find({cluster}) {
    const {version} = await cluster.identity()
    return [{level: 'ok', what: `Kubernetes ${version} at ${cluster.server} (context ${cluster.context})`}]
  },
}
