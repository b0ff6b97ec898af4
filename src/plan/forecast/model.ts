import {dig} from '../../base/dig.ts'
import {isMap} from '../../base/values.ts'
import {stableSeconds} from '../../kubernetes/gate/kinds/restarts.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Expected, Manifests} from './action-forecast.ts'
import {changedJobs} from './changed-jobs.ts'
import {templateText, WORKLOADS} from './template.ts'

/** In seconds, as upgrades of a small cloud on two processors took them. */
export const HELM_SECONDS = 8
const PULL = 20
const JOB = 15
const POD = 10

interface Upgrading {
  readonly kind: 'install' | 'upgrade'
  readonly replacesImages: boolean
}

/**
 * Estimates how long a release takes without an earlier run: helm, new images, its Jobs one after the other,
 * and its pods, which must have run for as long as they state; members of a StatefulSet one after the other.
 */
export function modelled({before, after}: Manifests, {kind, replacesImages}: Upgrading): Expected {
  const earlier = new Set(before.map(keyOf))
  const changed = after.filter((object) => WORKLOADS.has(object.kind) && !earlier.has(keyOf(object)))
  const jobs = changedJobs({before, after}, kind).length
  const pulls = replacesImages || (before.length === 0 && changed.length + jobs > 0)
  const seconds =
    HELM_SECONDS + (pulls ? PULL : 0) + jobs * JOB + Math.max(0, ...changed.map(replacementSeconds))
  const isPerNode = before.length > 0 && changed.some((object) => object.kind === 'DaemonSet')
  return {seconds, runs: 0, ...(isPerNode && {perNode: true})}
}

function keyOf(object: KubernetesObject): string {
  return `${object.kind} ${object.metadata.name} ${templateText(object)}`
}

function replacementSeconds(workload: KubernetesObject): number {
  const annotations = dig(workload, 'spec', 'template', 'metadata', 'annotations')
  // A template that renders nothing there leaves null.
  const stated = isMap(annotations) ? (annotations as Readonly<Record<string, string>>) : {}
  const members = workload.kind === 'StatefulSet' ? dig(workload, 'spec', 'replicas') : 1
  return (POD + (stableSeconds(stated) ?? 0)) * (typeof members === 'number' ? members : 1)
}
