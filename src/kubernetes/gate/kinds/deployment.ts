import type * as apps from 'kubernetes-types/apps/v1.js'
import {allowedPods} from '../../../base/allowance.ts'
import type {Served} from '../../api/served.ts'
import type {PassedHealth} from '../health.ts'
import {markServiceStatus} from '../service-status.ts'
import {claimsOf} from './claim.ts'
import {
  ALLOWED,
  closedHealth,
  conditionCause,
  type HealthOf,
  scaledDown,
  withNote,
  workloadHealth,
} from './health.ts'
import {findCondition} from './observed.ts'
import {matchesSelector} from './selector.ts'

type Deployment = Served<apps.Deployment>

/**
 * Returns the health of a Deployment: every replica must be of the current template and available, and no old
 * replica may remain (kubectl 1.36: rollout_status.go). A Deployment that its chart pauses is not rolled out;
 * only its present replicas must be available.
 */
export const deploymentHealth: HealthOf<Deployment> = (deployment, ...surroundings) =>
  markServiceStatus(deployment, rolledOutHealth(deployment, ...surroundings))

const rolledOutHealth: HealthOf<Deployment> = (deployment, namespaceObjects, manifestFields) => {
  const scaled = scaledDown(deployment, manifestFields)
  if (scaled) return scaled
  const {spec, status = {}} = deployment
  const isCurrent = (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  const progressing = findCondition(deployment, 'Progressing')
  const allowed = allowedPods(manifestFields.unavailable, spec?.replicas ?? 1)
  const isAllowed = allowed > 0 && missing(deployment, allowed) === undefined
  if (isCurrent && !isAllowed && progressing?.reason === 'ProgressDeadlineExceeded') {
    const pods = namespaceObjects.pods.filter((pod) => matchesSelector(spec?.selector, pod))
    const cause = {reason: progressing.reason, ...conditionCause(deployment, 'ReplicaFailure')}
    return closedHealth('failed', deployment, {
      message: `its progress deadline was exceeded: ${missing(deployment) ?? 'it made no progress'}`,
      pods,
      cause,
    })
  }
  const isPaused = manifestFields.isPaused && spec?.paused === true
  const pods = isPaused ? (status.replicas ?? 0) : (spec?.replicas ?? 1)
  return workloadHealth(deployment, namespaceObjects, {
    allowed,
    claims: pods === 0 ? [] : claimsOf(spec?.template?.spec),
    missing: () => (isPaused ? unavailable(status.availableReplicas, pods) : missing(deployment, allowed)),
    cause: conditionCause(deployment, 'ReplicaFailure'),
    done: isPaused ? paused(deployment) : lacking(deployment),
  })
}

/** Returns the health of a Deployment that is available except for the pods that the environment allows. */
function lacking(deployment: Deployment & {readonly kind: string}): PassedHealth | undefined {
  const message = missing(deployment)
  return message === undefined
    ? undefined
    : withNote('partial', deployment, {message: `${message}${ALLOWED}`, reason: 'Unavailable'})
}

function paused(deployment: Deployment & {readonly kind: string}): PassedHealth | undefined {
  const {spec, status = {}} = deployment
  const {updatedReplicas: updated = 0} = status
  const wanted = spec?.replicas ?? 1
  if (updated >= wanted) return undefined
  const message = `it is paused, as its chart states: ${updated} of ${wanted} replicas are of its current version`
  return withNote('partial', deployment, {message, reason: 'DeploymentPaused'})
}

function missing({spec, status = {}}: Deployment, allowed = 0): string | undefined {
  const wanted = spec?.replicas ?? 1
  const {replicas = 0, updatedReplicas: updated = 0, availableReplicas: available = 0} = status
  if (updated < wanted)
    return `${updated} of ${wanted} replicas are updated${spec?.paused ? ', and it is paused' : ''}`
  const old = replicas - updated
  if (old > 0) return old === 1 ? '1 old replica has not ended' : `${old} old replicas have not ended`
  return available < updated - allowed ? unavailable(available, wanted) : undefined
}

function unavailable(available = 0, wanted: number): string | undefined {
  return available < wanted ? `${available} of ${wanted} replicas are available` : undefined
}
