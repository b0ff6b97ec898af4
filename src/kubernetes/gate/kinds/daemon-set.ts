import type * as apps from 'kubernetes-types/apps/v1.js'
import type {Served} from '../../api/served.ts'
import type {PassedHealth} from '../health.ts'
import {claimsOf} from './claim.ts'
import {type HealthOf, withNote, workloadHealth} from './health.ts'

export type DaemonSet = Served<apps.DaemonSet>

/**
 * Returns the health of a DaemonSet: a pod of the current template must be available on every node that
 * should have one (kubectl 1.36: rollout_status.go). It is partial while pods that no controller replaces are
 * of an older template.
 */
export const daemonSetHealth: HealthOf<DaemonSet> = (set, namespaceObjects) => {
  const wanted = set.status?.desiredNumberScheduled ?? 0
  const claims = wanted === 0 ? [] : claimsOf(set.spec?.template?.spec)
  return workloadHealth(set, namespaceObjects, {
    claims,
    missing: () => missing(set),
    done: completedHealth(set),
  })
}

function completedHealth(set: DaemonSet & {readonly kind: string}): PassedHealth | undefined {
  const {desiredNumberScheduled: wanted = 0, updatedNumberScheduled: updated = 0} = set.status ?? {}
  if (wanted === 0)
    return withNote('healthy', set, {message: 'no node matches it, so it has no pods', reason: 'NoNodes'})
  if (updated >= wanted) return undefined
  const message = `${updated} of ${wanted} pods are of its current version (OnDelete)`
  return withNote('partial', set, {message, reason: 'OnDelete'})
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
