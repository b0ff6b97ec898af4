import {scaledPods} from '../../base/allowance.ts'
import {dig, digText} from '../../base/dig.ts'
import {isRolledByNode} from '../../kubernetes/gate/node-roll.ts'
import {isBuiltIn} from '../../kubernetes/inventory/custom-kinds.ts'
import {hookEvents, isHook, withoutHooks} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import {podTemplate, selectsPods} from '../../kubernetes/manifest/pods.ts'
import {matchObjects, type ObjectPair} from '../changes/match-objects.ts'
import type {Impact, Manifests, Noticed, NoticedBy} from './action-forecast.ts'
import {changedJobs} from './changed-jobs.ts'
import {templateText, textOf, WORKLOADS} from './template.ts'

const NOTHING_NOTICED: NoticedBy = {
  users: {impact: 'none', why: []},
  instances: {impact: 'none', why: []},
}

/** Annotations of a workload: what is noticed while a pod of it is replaced; empty: nothing. */
const NOTICE = {
  users: 'kk.openstack.org/users-notice',
  instances: 'kk.openstack.org/instances-notice',
} as const

/** From least to most. */
const IMPACTS: readonly Impact[] = ['none', 'unknown', 'brief', 'outage']

/** Further kinds whose change may interrupt connections or pods, in ways that the manifest does not show. */
const UNCLEAR = new Set(['Pod', 'ReplicaSet', 'ReplicationController', 'Ingress', 'APIService'])

/**
 * Returns what is noticed when a release goes from one manifest to another, by how Kubernetes replaces the
 * pods of the workloads whose template differs, and by what the workloads state in annotations.
 */
export function noticedBetween({before, after}: Manifests, namespace: string): NoticedBy {
  const pairs = matchObjects(withoutHooks(before), withoutHooks(after), namespace)
  // What helm runs before it changes anything has ended when pods are replaced.
  const hasJobs = changedJobs({before, after}, 'upgrade').some(
    (job) => !isHook(job) || hookEvents(job).includes('post-upgrade'),
  )
  const around = {namespace, before, after, hasJobs}
  return mostNoticed(pairs.map((pair) => noticedOf(pair, around)))
}

/** Returns the most that is noticed by any of these. */
export function mostNoticed(all: readonly NoticedBy[]): NoticedBy {
  return {
    users: worst(all.map(({users}) => users)),
    instances: worst(all.map(({instances}) => instances)),
  }
}

interface Surroundings extends Manifests {
  readonly namespace: string
  /** Whether there are Jobs for which the new pods may wait. */
  readonly hasJobs: boolean
}

function noticedOf({before, after}: ObjectPair, around: Surroundings): NoticedBy {
  const object = (after ?? before)!
  const isWorkload = WORKLOADS.has(object.kind)
  // What is new is not used yet.
  if (!before) return NOTHING_NOTICED
  if (!after)
    return isWorkload
      ? withoutPods(before, around, 'is removed')
      : {...NOTHING_NOTICED, users: goneNotice(before)}
  if (!isWorkload) return {...NOTHING_NOTICED, users: changedNotice(before, after)}
  if (wantedPods(before) > 0 && wantedPods(after) === 0) return withoutPods(before, around, 'is scaled to 0')
  if (!isReplaced(before, after)) return NOTHING_NOTICED
  return {users: usersNotice(after, around), instances: instancesNotice(after)}
}

/** Returns what is noticed of a workload without pods: one without a Service may do work for others, too. */
function withoutPods(object: KubernetesObject, {before, namespace}: Surroundings, what: string): NoticedBy {
  const impact = isServed(object, before, namespace) ? 'outage' : 'unknown'
  return {users: noticed(impact, object, what), instances: instancesNotice(object)}
}

function goneNotice(object: KubernetesObject): Noticed {
  if (object.kind === 'Service') return noticed('outage', object, 'is removed')
  return isUnclear(object) ? noticed('unknown', object, 'is removed') : NONE
}

/** Returns what users notice of an object without pods of its own. */
function changedNotice(before: KubernetesObject, after: KubernetesObject): Noticed {
  const differs = (...path: readonly string[]) => textOf(before, ...path) !== textOf(after, ...path)
  if (after.kind === 'Service')
    return differs('spec', 'selector') ? noticed('unknown', after, 'selects other pods') : NONE
  return isUnclear(after) && differs('spec') ? noticed('unknown', after, 'changes') : NONE
}

/** Whether the manifest does not show what a change of an object does, such as of a custom resource. */
function isUnclear({apiVersion, kind}: KubernetesObject): boolean {
  return UNCLEAR.has(kind) || !isBuiltIn(apiVersion)
}

/** Whether the controller of a workload replaces pods because of the change. */
function isReplaced(before: KubernetesObject, after: KubernetesObject): boolean {
  if (templateText(before) === templateText(after)) return false
  const strategy = digText(after, 'spec', 'updateStrategy', 'type')
  if (strategy === 'OnDelete') return isRolledByNode(after)
  const partition = dig(after, 'spec', 'updateStrategy', 'rollingUpdate', 'partition')
  return typeof partition !== 'number' || partition < wantedPods(after)
}

function wantedPods(workload: KubernetesObject): number {
  const replicas = dig(workload, 'spec', 'replicas')
  return typeof replicas === 'number' ? replicas : 1
}

function usersNotice(workload: KubernetesObject, {after, namespace, hasJobs}: Surroundings): Noticed {
  const stated = workload.metadata.annotations?.[NOTICE.users]
  if (stated !== undefined) return stated === '' ? NONE : noticed('brief', workload, stated)
  if (workload.kind === 'DaemonSet') {
    if (!isServed(workload, after, namespace)) return noticed('unknown', workload, 'does not state it')
    return noticed('brief', workload, `its pods are replaced ${pace(workload)}`)
  }
  const replicas = wantedPods(workload)
  if (workload.kind === 'StatefulSet' && replicas > 1)
    return noticed('brief', workload, 'its members are replaced one after the other')
  if (workload.kind === 'Deployment' && podsLeft(workload, replicas) > 0) return NONE
  if (replicas === 0) return NONE
  return hasJobs
    ? noticed('outage', workload, 'no pod of it runs until a new one is ready, which may wait for Jobs')
    : noticed('brief', workload, 'no pod of it runs until a new one is ready')
}

function pace(daemonSet: KubernetesObject): string {
  const unavailable = dig(daemonSet, 'spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable')
  return unavailable === '100%' ? 'on all nodes at once' : 'on one node after the other'
}

/**
 * Returns what instances notice. Deployments are no part of a node; a chart that states what users notice
 * states what instances do, too.
 */
function instancesNotice(workload: KubernetesObject): Noticed {
  const {annotations} = workload.metadata
  const stated = annotations?.[NOTICE.instances]
  if (stated) return noticed('brief', workload, stated)
  const isKnown = stated !== undefined || annotations?.[NOTICE.users] !== undefined
  return isKnown || workload.kind === 'Deployment' ? NONE : noticed('unknown', workload, 'does not state it')
}

/**
 * Returns the number of pods of a Deployment that run at any time of a rollout (Kubernetes 1.36:
 * deployment/util/deployment_util.go ResolveFenceposts, MaxUnavailable).
 */
function podsLeft(deployment: KubernetesObject, replicas: number): number {
  const strategy = dig(deployment, 'spec', 'strategy')
  if (digText(strategy, 'type') === 'Recreate') return 0
  const surge = share(dig(strategy, 'rollingUpdate', 'maxSurge'), replicas, Math.ceil)
  const unavailable = share(dig(strategy, 'rollingUpdate', 'maxUnavailable'), replicas, Math.floor)
  return replicas - (surge === 0 && unavailable === 0 ? 1 : unavailable)
}

/** Returns a number of pods, or a share of them; Kubernetes' default is 25%. */
function share(stated: unknown, replicas: number, round: (value: number) => number): number {
  const value = typeof stated === 'number' || typeof stated === 'string' ? stated : '25%'
  return Math.min(scaledPods(value, replicas, round), replicas)
}

function isServed(
  workload: KubernetesObject,
  objects: readonly KubernetesObject[],
  namespace: string,
): boolean {
  const labels = podTemplate(workload)?.labels ?? {}
  const own = workload.metadata.namespace ?? namespace
  return objects.some(
    (object) => (object.metadata.namespace ?? namespace) === own && selectsPods(object, labels),
  )
}

const NONE: Noticed = {impact: 'none', why: []}

function noticed(impact: Impact, object: KubernetesObject, why: string): Noticed {
  return {impact, why: [`${objectName(object)}: ${why}`]}
}

/** Returns the most that is noticed, with all that causes as much. */
function worst(all: readonly Noticed[]): Noticed {
  const impact = IMPACTS.findLast((one) => all.some((each) => each.impact === one)) ?? 'none'
  return {impact, why: [...new Set(all.filter((each) => each.impact === impact).flatMap(({why}) => why))]}
}
