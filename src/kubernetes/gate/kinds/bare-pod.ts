import {claimsOf, unboundClaims} from './claim.ts'
import {closedHealth, HEALTHY, type HealthOf} from './health.ts'
import {findCondition, type Pod} from './observed.ts'

/** Returns the health of a pod without a controller: it must be ready, or have succeeded. */
export const barePodHealth: HealthOf<Pod> = (pod, namespaceObjects) => {
  const phase = pod.status?.phase ?? 'Pending'
  if (phase === 'Succeeded' || findCondition(pod, 'Ready')?.status === 'True') return HEALTHY
  const claims = unboundClaims(pod, claimsOf(pod.spec), namespaceObjects)
  return closedHealth(phase === 'Failed' ? 'failed' : 'waiting', pod, {
    message: `it is ${phase}`,
    pods: [pod],
    claims,
  })
}
