import type {SeenNamespace} from '../../../../cluster/diagnosis/diagnosis.ts'
import type {Check, Found} from '../finding.ts'

/** Namespaces that were deleted and do not go. */
export const namespacesCheck: Check = {
  name: 'namespaces',
  needs: 'cluster',
  fine: 'no namespace is stuck in its deletion',
  async find({cluster, kubectl}) {
    return (await cluster.diagnosis.namespaces()).flatMap((each) => judgeNamespace(each, kubectl))
  },
}

/** Kubernetes 1.36: namespaced_resources_deleter.go. */
export function judgeNamespace(
  {name, deletedAt, hindrances}: SeenNamespace,
  kubectl: string,
): readonly Found[] {
  if (deletedAt === undefined) return []
  if (hindrances.length === 0)
    return [{level: 'info', what: `the namespace ${name} is being deleted since ${deletedAt}`}]
  const why = hindrances.map(({message}) => message).join(' ')
  const what = `the namespace ${name} is being deleted since ${deletedAt}, and does not go: ${why}`
  return [{level: 'warning', what, advice: adviceFor(name, hindrances, kubectl)}]
}

function adviceFor(name: string, hindrances: SeenNamespace['hindrances'], kubectl: string): string {
  const isBlind = hindrances.some(({type}) => type === 'NamespaceDeletionDiscoveryFailure')
  if (isBlind) return `${kubectl} get apiservices`
  const remaining = hindrances.find(({type}) => type === 'NamespaceContentRemaining')?.message ?? ''
  const resources = [...remaining.matchAll(/([a-z0-9.-]+?)\.? has \d+ resource instances/g)].map(
    ([, one]) => one!,
  )
  const what = resources.length === 0 ? 'all' : resources.join(',')
  const columns =
    'custom-columns=KIND:.kind,NAME:.metadata.name,DELETED:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers'
  return `${kubectl} get ${what} --namespace ${name} --output ${columns}`
}
