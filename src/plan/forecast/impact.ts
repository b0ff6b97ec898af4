import {isMap} from '../../base/values.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {canonicalJson} from '../digest.ts'
import type {Impact, Noticed, NoticedBy} from './action-forecast.ts'

export const NOTHING_NOTICED: NoticedBy = {
  users: {impact: 'none', why: []},
  instances: {impact: 'none', why: []},
}

/** Annotations of a workload: what is noticed while a pod of it is replaced. */
const NOTICE = {
  users: 'kk.openstack.org/users-notice',
  instances: 'kk.openstack.org/instances-notice',
} as const

/** From least to most. */
const IMPACTS: readonly Impact[] = ['none', 'unknown', 'brief', 'outage']

interface Workload {
  readonly name: string
  readonly object: KubernetesObject
}

/**
 * Returns what is noticed when a release goes from one manifest to another, by how Kubernetes replaces the
 * pods of the workloads whose template differs, and by what the workloads state in annotations.
 */
export function noticedBetween(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): NoticedBy {
  const earlier = new Map(workloadsIn(before).map((each) => [each.name, each]))
  const later = new Map(workloadsIn(after).map((each) => [each.name, each]))
  const replaced = [...later.values()].filter(({name, object}) => {
    const former = earlier.get(name)
    return former && templateOf(former.object) !== templateOf(object)
  })
  const removed = [...earlier.values()].filter(({name}) => !later.has(name))
  const waitsForJobs = changedJobs(before, after).length > 0
  return {
    users: worst([
      ...replaced.map((workload) => usersNotice(workload, {objects: after, waitsForJobs})),
      ...removed.map(({name, object}) => removedNotice(name, object, before)),
    ]),
    instances: worst([...replaced, ...removed].map(instancesNotice)),
  }
}

function workloadsIn(objects: readonly KubernetesObject[]): readonly Workload[] {
  return objects
    .filter(({kind}) => kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet')
    .map((object) => ({name: `${object.kind} ${object.metadata.name}`, object}))
}

function changedJobs(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const jobs = (objects: readonly KubernetesObject[]) => objects.filter(({kind}) => kind === 'Job')
  const earlier = new Set(jobs(before).map((job) => `${job.metadata.name} ${templateOf(job)}`))
  return jobs(after).filter((job) => !earlier.has(`${job.metadata.name} ${templateOf(job)}`))
}

interface Surroundings {
  readonly objects: readonly KubernetesObject[]
  /** Whether the pods may wait for Jobs of the same change. */
  readonly waitsForJobs: boolean
}

function usersNotice({name, object}: Workload, {objects, waitsForJobs}: Surroundings): Noticed {
  const stated = object.metadata.annotations?.[NOTICE.users]
  if (stated !== undefined) return stated === '' ? none() : brief(`${name}: ${stated}`)
  const {kind} = object
  const isServed = objects.some((service) => selects(service, object))
  if (kind === 'DaemonSet') {
    if (isServed) return brief(`${name}: its pod is replaced on one node after the other`)
    return {impact: 'unknown', why: [`${name}: does not state it`]}
  }
  const replicas = numberAt(object, 'replicas') ?? 1
  if (replicas === 0) return none()
  if (kind === 'StatefulSet') {
    const what = replicas === 1 ? 'its only pod is replaced' : 'its members are replaced one after the other'
    return brief(`${name}: ${what}`)
  }
  const left = podsLeft(object, replicas)
  if (left > 0) return none()
  const what = `no pod of it runs until a new one is ready`
  if (!waitsForJobs || hasPodsFirst(object)) return brief(`${name}: ${what}`)
  return {impact: 'outage', why: [`${name}: ${what}, which may wait for the Jobs of this release`]}
}

/** Whether Kubernetes keeps a pod until a new one is ready. */
function hasPodsFirst(deployment: KubernetesObject): boolean {
  return strategyOf(deployment).type !== 'Recreate'
}

function removedNotice(name: string, object: KubernetesObject, before: readonly KubernetesObject[]): Noticed {
  return before.some((service) => selects(service, object))
    ? {impact: 'outage', why: [`${name}: is removed`]}
    : none()
}

function instancesNotice({name, object}: Workload): Noticed {
  const stated = object.metadata.annotations?.[NOTICE.instances]
  return stated ? brief(`${name}: ${stated}`) : none()
}

/**
 * Returns the number of pods of a Deployment that run at any time of a rollout (Kubernetes 1.36:
 * deployment/util/deployment_util.go ResolveFenceposts, MaxUnavailable).
 */
function podsLeft(deployment: KubernetesObject, replicas: number): number {
  const {type, rollingUpdate} = strategyOf(deployment)
  if (type === 'Recreate') return 0
  const {maxUnavailable = '25%', maxSurge = '25%'} = rollingUpdate
  const surge = share(maxSurge, replicas, Math.ceil)
  const unavailable = share(maxUnavailable, replicas, Math.floor)
  return replicas - (surge === 0 && unavailable === 0 ? 1 : unavailable)
}

function share(of: unknown, replicas: number, round: (value: number) => number): number {
  if (typeof of === 'number') return Math.min(of, replicas)
  return Math.min(round((Number.parseFloat(String(of)) / 100) * replicas), replicas)
}

interface Strategy {
  readonly type?: string
  readonly rollingUpdate: {readonly maxUnavailable?: unknown; readonly maxSurge?: unknown}
}

function strategyOf({spec}: KubernetesObject): Strategy {
  const strategy = isMap(spec) && isMap(spec.strategy) ? spec.strategy : {}
  const {type, rollingUpdate} = strategy
  return {...(typeof type === 'string' && {type}), rollingUpdate: isMap(rollingUpdate) ? rollingUpdate : {}}
}

function numberAt({spec}: KubernetesObject, key: string): number | undefined {
  const value = isMap(spec) ? spec[key] : undefined
  return typeof value === 'number' ? value : undefined
}

function templateOf({spec}: KubernetesObject): string {
  return canonicalJson(isMap(spec) ? (spec.template ?? {}) : {})
}

/** Whether a Service sends connections to the pods of a workload. */
function selects({kind, spec}: KubernetesObject, workload: KubernetesObject): boolean {
  if (kind !== 'Service' || !isMap(spec) || !isMap(spec.selector)) return false
  const template = isMap(workload.spec) ? workload.spec.template : undefined
  const metadata = isMap(template) && isMap(template.metadata) ? template.metadata : {}
  const labels = isMap(metadata.labels) ? metadata.labels : {}
  const wanted = Object.entries(spec.selector)
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value)
}

function none(): Noticed {
  return {impact: 'none', why: []}
}

function brief(why: string): Noticed {
  return {impact: 'brief', why: [why]}
}

/** Returns the most that is noticed, with all that causes as much. */
function worst(noticed: readonly Noticed[]): Noticed {
  const impact = IMPACTS.findLast((one) => noticed.some((each) => each.impact === one)) ?? 'none'
  return {impact, why: noticed.filter((each) => each.impact === impact).flatMap(({why}) => why)}
}
