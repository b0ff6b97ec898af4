import type * as apps from 'kubernetes-types/apps/v1.js'
import type * as core from 'kubernetes-types/core/v1.js'
import type {Served} from '../../api/served.ts'
import {claimsOf} from './claim.ts'
import {conditionCause, type HealthOf, scaledDown, workloadHealth} from './health.ts'

type ReplicaSet = Served<apps.ReplicaSet>
/** Selects by a map of labels. */
type ReplicationController = Served<core.ReplicationController>

/**
 * Returns the health of a ReplicaSet: every replica must be available. It never replaces a pod after its
 * template has changed, and no status counts the pods of the current template.
 */
export const replicaSetHealth: HealthOf<ReplicaSet> = (set, namespaceObjects, manifestFields) => {
  const {spec, status = {}} = set
  const [available, wanted] = [status.availableReplicas ?? 0, spec?.replicas ?? 1]
  const missing = available < wanted ? `${available} of ${wanted} replicas are available` : undefined
  return (
    scaledDown(set, manifestFields) ??
    workloadHealth(set, namespaceObjects, {
      claims: wanted === 0 ? [] : claimsOf(spec?.template?.spec),
      missing: () => missing,
      cause: conditionCause(set, 'ReplicaFailure'),
    })
  )
}

export const replicationControllerHealth: HealthOf<ReplicationController> = ({spec, ...rest}, ...context) => {
  const {selector: matchLabels = {}, ...specRest} = spec ?? {}
  return replicaSetHealth({...rest, spec: {...specRest, selector: {matchLabels}}}, ...context)
}
