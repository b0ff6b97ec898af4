import {KK_NAMESPACE} from '../../../../cluster/lease/lease.ts'
import type {Check} from '../finding.ts'

/** Where kk keeps what belongs to no release. */
export const kkSystemCheck: Check = {
  name: 'kk-system',
  needs: 'cluster',
  fine: 'the namespace kk-system is there',
  async find({cluster, kubectl}) {
    if (await cluster.hasNamespace(KK_NAMESPACE)) return []
    const what = `the cluster has no namespace ${KK_NAMESPACE} yet: the first run makes it, if its user may make namespaces`
    return [{level: 'info', what, advice: `${kubectl} create namespace ${KK_NAMESPACE}`}]
  },
}
