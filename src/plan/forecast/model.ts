import {isMap} from '../../base/values.ts'
import {stableSeconds} from '../../kubernetes/gate/kinds/restarts.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {canonicalJson} from '../digest.ts'
import type {Manifests} from './action-forecast.ts'

/** In seconds, as upgrades of a small cloud on two processors took them. */
const HELM = 8
const PULL = 20
const JOB = 15
const POD = 10

/**
 * Estimates how long a release takes without an earlier run, in seconds: helm, new images, its Jobs one after
 * the other, and its pods, which must have run for as long as they state.
 */
export function modelSeconds(
  {before, after}: Manifests,
  {replacesImages}: {readonly replacesImages: boolean},
): number {
  const earlier = new Set(before.map(keyOf))
  const changed = after.filter((object) => templateOf(object) !== undefined && !earlier.has(keyOf(object)))
  const isJob = ({kind}: KubernetesObject) => kind === 'Job'
  const jobs = changed.filter(isJob).length
  const workloads = changed.filter((object) => !isJob(object))
  const pods = workloads.length > 0 ? POD + Math.max(...workloads.map(awaitedSeconds)) : 0
  const pulls = replacesImages || (before.length === 0 && changed.length > 0)
  return HELM + (pulls ? PULL : 0) + jobs * JOB + pods
}

function keyOf(object: KubernetesObject): string {
  return `${object.kind} ${object.metadata.name} ${canonicalJson(templateOf(object) ?? {})}`
}

function templateOf({spec}: KubernetesObject): Readonly<Record<string, unknown>> | undefined {
  return isMap(spec) && isMap(spec.template) ? spec.template : undefined
}

function awaitedSeconds(object: KubernetesObject): number {
  const metadata = templateOf(object)?.metadata
  // A template that renders nothing there leaves null.
  const annotations = isMap(metadata) && isMap(metadata.annotations) ? metadata.annotations : {}
  return stableSeconds(annotations as Readonly<Record<string, string>>) ?? 0
}
