import type * as apps from 'kubernetes-types/apps/v1.js'
import type {Served} from '../../api/served.ts'
import type {PassedHealth} from '../health.ts'
import {claimsOf} from './claim.ts'
import {type HealthOf, scaledDown, withNote, workloadHealth} from './health.ts'

type StatefulSet = Served<apps.StatefulSet>

/**
 * Returns the health of a StatefulSet: every replica must be available and, except those below the partition,
 * of the current template (kubectl 1.36: rollout_status.go). It is partial while pods that no controller
 * replaces are of an older template.
 */
export const statefulSetHealth: HealthOf<StatefulSet> = (set, namespaceObjects, manifestFields) =>
  scaledDown(set, manifestFields) ??
  workloadHealth(set, namespaceObjects, {
    claims: claimNames(set),
    missing: () => missing(set),
    done: outdated(set),
  })

/** Returns undefined if every pod is of the current template. */
function outdated(set: StatefulSet & {readonly kind: string}): PassedHealth | undefined {
  const {spec, status = {}} = set
  const [updated, wanted] = [status.updatedReplicas ?? 0, spec?.replicas ?? 1]
  if (updated >= wanted) return undefined
  const {type, rollingUpdate} = spec?.updateStrategy ?? {}
  const why = type === 'OnDelete' ? 'OnDelete' : `partition ${rollingUpdate?.partition}`
  return withNote('partial', set, {
    message: `${updated} of ${wanted} pods are of its current version (${why})`,
    reason: type === 'OnDelete' ? 'OnDelete' : 'Partition',
  })
}

function missing({spec, status = {}}: StatefulSet): string | undefined {
  const wanted = spec?.replicas ?? 1
  const {readyReplicas = 0, updatedReplicas = 0} = status
  const available = status.availableReplicas ?? readyReplicas
  const {type, rollingUpdate} = spec?.updateStrategy ?? {}
  const updated = type === 'OnDelete' ? 0 : Math.max(0, wanted - (rollingUpdate?.partition ?? 0))
  if (available < wanted) return `${available} of ${wanted} replicas are available`
  return updatedReplicas < updated ? `${updatedReplicas} of ${updated} replicas are updated` : undefined
}

/**
 * Returns the names of the claims of each template and ordinal: TEMPLATE-SET-ORDINAL, as the controller does.
 */
function claimNames({metadata, spec}: StatefulSet): string[] {
  const replicas = spec?.replicas ?? 1
  if (replicas === 0) return []
  const ordinals = Array.from({length: replicas}, (_, index) => (spec?.ordinals?.start ?? 0) + index)
  const templates = spec?.volumeClaimTemplates ?? []
  const own = ordinals.flatMap((ordinal) =>
    templates.map((template) => `${template.metadata?.name}-${metadata.name}-${ordinal}`),
  )
  return [...own, ...claimsOf(spec?.template?.spec)]
}
