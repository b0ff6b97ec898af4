import type {LabelSelector, Observed, Pod, Workload} from './observed.ts'

/**
 * Whether the object's labels match; a missing or empty selector matches nothing here (apimachinery:
 * LabelSelectorAsSelector).
 */
export function matchesSelector(selector: LabelSelector | undefined, {metadata}: Observed): boolean {
  const {matchLabels = {}, matchExpressions = []} = selector ?? {}
  const wanted = Object.entries(matchLabels)
  if (wanted.length === 0 && matchExpressions.length === 0) return false
  const labels = metadata.labels ?? {}
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({key, operator, values = []}) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      if (operator === 'In') return value !== undefined && values.includes(value)
      return value === undefined || !values.includes(value)
    })
  )
}

/**
 * Whether a pod belongs to a workload: its selector matches, and no other DaemonSet controls the pod. The
 * selector of a DaemonSet also matches the pods of the same component on the nodes of a group.
 */
export function isPodOf({metadata, spec}: Pick<Workload, 'metadata' | 'spec'>, pod: Pod): boolean {
  const isOther = pod.metadata.ownerReferences?.some(
    ({controller, kind, name}) => controller && kind === 'DaemonSet' && name !== metadata.name,
  )
  return !isOther && matchesSelector(spec?.selector, pod)
}
