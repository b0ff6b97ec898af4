import {claimsOf} from './claim.ts'
import {closed, conditionCause, type HealthOf, workloadHealth} from './health.ts'
import {findCondition, type Workload} from './observed.ts'
import {matchesSelector} from './selector.ts'

interface Deployment extends Workload {
  readonly status?: Workload['status'] & {
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
  }
}

/**
 * Returns the health of a Deployment: every replica must be of the current template and available, and no old one left
 * (kubectl 1.36: rollout_status.go).
 */
export const deploymentHealth: HealthOf<Deployment> = (deployment, around) => {
  const {spec, status = {}} = deployment
  const isCurrent = (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  const progressing = findCondition(deployment, 'Progressing')
  if (isCurrent && progressing?.reason === 'ProgressDeadlineExceeded') {
    const pods = around.pods.filter((pod) => matchesSelector(spec?.selector, pod))
    const cause = {reason: progressing.reason, ...conditionCause(deployment, 'ReplicaFailure')}
    return closed('failed', deployment, {
      message: `its progress deadline was exceeded: ${missing(deployment) ?? 'it made no progress'}`,
      pods,
      cause,
    })
  }
  return workloadHealth(deployment, around, {
    claims: spec?.replicas === 0 ? [] : claimsOf(spec?.template?.spec),
    missing: () => missing(deployment),
    cause: conditionCause(deployment, 'ReplicaFailure'),
  })
}

function missing({spec, status = {}}: Deployment): string | undefined {
  const wanted = spec?.replicas ?? 1
  const {replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0} = status
  if (updated < wanted)
    return `${updated} of ${wanted} replicas are updated${spec?.paused ? ', and it is paused' : ''}`
  const old = replicas - updated
  if (old > 0) return old === 1 ? '1 old replica has not ended' : `${old} old replicas have not ended`
  return available < updated ? `${available} of ${wanted} replicas are available` : undefined
}
