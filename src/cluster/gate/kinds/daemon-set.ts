import {claimsOf} from './claim.ts'
import {type HealthOf, workloadHealth} from './health.ts'
import type {Workload} from './observed.ts'

export interface DaemonSet extends Workload {
  readonly spec?: Workload['spec'] & {readonly updateStrategy?: {readonly type?: string}}
  readonly status?: Workload['status'] & {
    readonly desiredNumberScheduled?: number
    readonly updatedNumberScheduled?: number
    readonly numberAvailable?: number
  }
}

/**
 * Returns the health of a DaemonSet: a pod of the current template must be available on every node that should have one
 * (kubectl 1.36: rollout_status.go).
 */
export const daemonSetHealth: HealthOf<DaemonSet> = (set, around) => {
  const wanted = set.status?.desiredNumberScheduled ?? 0
  const claims = wanted === 0 ? [] : claimsOf(set.spec?.template?.spec)
  return workloadHealth(set, around, {claims, missing: () => missing(set)})
}

function missing({spec, status = {}}: DaemonSet): string | undefined {
  const {
    desiredNumberScheduled: wanted = 0,
    updatedNumberScheduled = 0,
    numberAvailable: available = 0,
  } = status
  const updated = spec?.updateStrategy?.type === 'OnDelete' ? wanted : updatedNumberScheduled
  if (updated < wanted) return `${updated} of ${wanted} pods are updated`
  return available < wanted ? `${available} of ${wanted} pods are available` : undefined
}
