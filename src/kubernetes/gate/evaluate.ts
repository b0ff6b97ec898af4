import type {Allowance} from '../../base/allowance.ts'
import {type ReadinessRules, ruleFor} from '../../base/readiness.ts'
import type {Discovery} from '../api/discovery.ts'
import {
  CLAIMS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  NODES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
  SERVICES,
  STATEFUL_SETS,
} from '../api/resources.ts'
import {isBuiltIn} from '../inventory/custom-kinds.ts'
import {isHook} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {objectName} from '../manifest/manifest.ts'
import type {Health} from './health.ts'
import {barePodHealth} from './kinds/bare-pod.ts'
import {customResourceHealth} from './kinds/custom-resource.ts'
import {daemonSetHealth} from './kinds/daemon-set.ts'
import {deploymentHealth} from './kinds/deployment.ts'
import {combineHealth, HEALTHY, type HealthOf, type ManifestFields} from './kinds/health.ts'
import {jobHealth} from './kinds/job.ts'
import {
  hasCompleted,
  type NamespaceObjects,
  type Nodes,
  type Observed,
  type Workload,
} from './kinds/observed.ts'
import {replicaSetHealth, replicationControllerHealth} from './kinds/replica-set.ts'
import {loadBalancerHealth} from './kinds/service.ts'
import {statefulSetHealth} from './kinds/stateful-set.ts'
import {isScaled, type ScaleTarget} from './scale-targets.ts'
import {reportsStatus} from './service-status.ts'

interface GatedKind extends Resource {
  readonly health: HealthOf<Observed>
  /** Whether its health depends on the object alone, not on pods and claims. */
  readonly isAlone?: true
  /** Whether its health depends on nodes, and they may be read. */
  readonly readsNodes?: boolean
}

/** An object that was applied and whose health is awaited. */
export interface GatedObject {
  readonly resource: GatedKind
  readonly namespace: string
  readonly name: string
  /**
   * Whether it is a Job that the cluster deletes after it has ended, so that its absence does not show its
   * outcome.
   */
  readonly mayVanish: boolean
  readonly manifestFields: ManifestFields
}

/** The last observed state of the cluster's objects. */
export interface Observation {
  object(resource: Resource, namespace: string, name: string): Observed | undefined
  /** Returns the last state of a deleted object, if its deletion was observed. */
  gone(resource: Resource, namespace: string, name: string): Observed | undefined
  namespaceObjects(namespace: string): NamespaceObjects
  /** Returns the nodes of the cluster, if they are read. */
  nodes(): Nodes
  /** The time by the cluster's clock, in milliseconds since the epoch. */
  readonly now: number
}

/** The kinds of Kubernetes that have a health, and that every deployer may read. */
const GATED_KINDS: readonly GatedKind[] = [
  {...DEPLOYMENTS, health: deploymentHealth as HealthOf<Observed>},
  {...STATEFUL_SETS, health: statefulSetHealth as HealthOf<Observed>},
  {...DAEMON_SETS, health: daemonSetHealth as HealthOf<Observed>},
  {...JOBS, health: jobHealth as HealthOf<Observed>},
  {...PODS, health: barePodHealth as HealthOf<Observed>},
]

/**
 * Further kinds whose health is evaluated, which kk's roles do not cover; objects of all remaining kinds are
 * healthy when they exist.
 */
const RARE_KINDS: readonly GatedKind[] = [
  {...REPLICA_SETS, health: replicaSetHealth as HealthOf<Observed>},
  {...REPLICATION_CONTROLLERS, health: replicationControllerHealth as HealthOf<Observed>},
]
const LOAD_BALANCERS: GatedKind = {
  ...SERVICES,
  health: loadBalancerHealth as HealthOf<Observed>,
  isAlone: true,
}

export function gatedObjects(namespace: string, objects: readonly KubernetesObject[]): GatedObject[] {
  return objects.flatMap(({apiVersion, kind, metadata, spec}) => {
    const resource = GATED_KINDS.find((gated) => gated.apiVersion === apiVersion && gated.kind === kind)
    if (resource === undefined) return []
    return [gatedObject(resource, metadata.namespace ?? namespace, {kind, metadata, spec})]
  })
}

type Manifest = Pick<KubernetesObject, 'kind' | 'metadata'> & {readonly spec?: unknown}

function gatedObject(resource: GatedKind, namespace: string, object: Manifest): GatedObject {
  const {name} = object.metadata
  return {resource, namespace, name, mayVanish: isAutoDeleted(object), manifestFields: readStated(object)}
}

/** Whether an object is a Job that the cluster deletes after it has ended. */
export function isAutoDeleted({kind, spec}: Manifest): boolean {
  const {ttlSecondsAfterFinished: ttl} = (spec ?? {}) as {readonly ttlSecondsAfterFinished?: unknown}
  return kind === JOBS.kind && typeof ttl === 'number'
}

function readStated({spec}: Manifest): ManifestFields {
  const {replicas, paused, suspend} = (spec ?? {}) as Readonly<Record<string, unknown>>
  return {
    replicas: typeof replicas === 'number' ? replicas : 1,
    replicasOf: typeof replicas === 'number' ? 'chart' : 'default',
    isPaused: paused === true,
    isSuspended: suspend === true,
  }
}

/** The inputs for the health of custom resources and of kinds that some users may not read. */
export interface HealthInputs {
  readonly discovery: Discovery
  readonly rules: ReadinessRules
  /** Returns whether the user may list and watch a kind; kk's roles do not cover custom kinds. */
  readonly mayRead: (resource: Resource, namespace: string) => Promise<boolean>
  /** Returns the workloads that the autoscalers of a namespace scale. */
  readonly scaleTargets: (namespace: string) => Promise<readonly ScaleTarget[]>
  /** Returns the time by the cluster's clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Returns the gated objects, including custom resources and objects with a rule of the environment. Objects
 * whose kind the cluster does not serve, or the user may not read, are omitted.
 */
export async function allGatedObjects(
  {discovery, rules, mayRead, now}: HealthInputs,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly GatedObject[]> {
  // Helm has waited for hooks, and may have deleted them.
  const candidates = objects.filter((object) => !isHook(object) && hasCondition(object, rules))
  const seen = new Map<string, Promise<boolean>>()
  const isReadable = (resource: Resource, objectNamespace: string) => {
    const key = collectionKey({resource, namespace: objectNamespace})
    const readable = seen.get(key) ?? mayRead(resource, objectNamespace)
    seen.set(key, readable)
    return readable
  }
  const custom = await Promise.all(
    candidates.map(async (object): Promise<readonly GatedObject[]> => {
      const {apiVersion, kind, metadata} = object
      const rare = rareKind(object)
      const resource = rare ?? (await discovery.find(apiVersion, kind))
      if (!resource) return []
      const objectNamespace = resource.namespaced ? (metadata.namespace ?? namespace) : ''
      if (!(await isReadable(resource, objectNamespace))) return []
      if (rare) return [gatedObject(rare, objectNamespace, object)]
      const rule = ruleFor(rules, {apiVersion, kind})
      const judging = {rule, hasStatus: resource.hasStatus === true, now}
      const health = customResourceHealth(judging) as HealthOf<Observed>
      const gated = {...resource, health, isAlone: true} as const
      return [gatedObject(gated, objectNamespace, object)]
    }),
  )
  const readsNodes = objects.some(isOfNodes) && (await mayRead(NODES, ''))
  const builtIn = objects.flatMap((object) =>
    gatedObjects(namespace, [object]).map((one) =>
      isOfNodes(object) ? {...one, resource: {...one.resource, readsNodes}} : one,
    ),
  )
  return [...builtIn, ...custom.flat()]
}

/**
 * Whether the health of an object depends on nodes: by its pods there, or by the parts that it reports on.
 */
function isOfNodes(object: KubernetesObject): boolean {
  return object.kind === DAEMON_SETS.kind || reportsStatus(object)
}

/** Whether an object of a kind that is not in `GATED_KINDS` has a health. */
function hasCondition(object: KubernetesObject, rules: ReadinessRules): boolean {
  const {apiVersion, kind} = object
  const isServer = kind === 'APIService' && apiVersion.startsWith('apiregistration.k8s.io/')
  return (
    !isBuiltIn(apiVersion) ||
    isServer ||
    ruleFor(rules, object) !== undefined ||
    rareKind(object) !== undefined
  )
}

function rareKind({apiVersion, kind, spec}: KubernetesObject): GatedKind | undefined {
  const {type} = (spec ?? {}) as {readonly type?: unknown}
  const kinds = type === 'LoadBalancer' ? [...RARE_KINDS, LOAD_BALANCERS] : RARE_KINDS
  return kinds.find((rare) => rare.apiVersion === apiVersion && rare.kind === kind)
}

/**
 * Returns the objects. Replicas are not required of objects that an autoscaler scales, unless it leaves them
 * at 0. Autoscalers are listed only if an object is scaled to fewer replicas than its manifest states.
 */
export async function withoutScaledReplicas(
  gated: readonly GatedObject[],
  seen: Observation,
  {scaleTargets}: Pick<HealthInputs, 'scaleTargets'>,
): Promise<readonly GatedObject[]> {
  const scaledDown = gated.filter((one) => isScaledDown(one, seen))
  const namespaces = [...new Set(scaledDown.map(({namespace}) => namespace))]
  const targetsByNamespace = await Promise.all(
    namespaces.map(async (namespace) => [namespace, await scaleTargets(namespace)] as const),
  )
  const targets = new Map(targetsByNamespace)
  return gated.map((one): GatedObject => {
    const {resource, namespace, name, manifestFields} = one
    const workload = {kind: resource.kind, name}
    const own = (targets.get(namespace) ?? []).filter((target) => isScaled(workload, undefined, [target]))
    if (own.length === 0) return one
    if (isScaled(workload, replicasNow(one, seen), own))
      return {...one, manifestFields: {...manifestFields, replicas: 0}}
    return {...one, manifestFields: {...manifestFields, replicasOf: 'autoscaler'}}
  })
}

function isScaledDown(one: GatedObject, seen: Observation): boolean {
  const replicas = replicasNow(one, seen)
  return replicas !== undefined && replicas < one.manifestFields.replicas
}

function replicasNow({resource, namespace, name}: GatedObject, seen: Observation): number | undefined {
  const {spec} = (seen.object(resource, namespace, name) ?? {}) as Workload
  return spec?.replicas
}

/** Returns the collections that `evaluate` reads. */
export function collectionsOf(gated: readonly GatedObject[]): {resource: Resource; namespace: string}[] {
  const wanted = gated.flatMap(({resource, namespace}) => [
    ...(resource.isAlone ? [resource] : [resource, PODS, CLAIMS]).map((of) => ({resource: of, namespace})),
    ...(resource.readsNodes ? [{resource: NODES, namespace: ''}] : []),
  ])
  return [...new Map(wanted.map((one) => [collectionKey(one), one])).values()]
}

export function collectionKey({resource, namespace}: {resource: Resource; namespace: string}): string {
  return `${resource.apiVersion} ${resource.kind} ${namespace}`
}

const NO_OBJECTS: NamespaceObjects = {pods: [], now: 0, claim: () => undefined}

/** The maximum delay of the events of a deleted object, in milliseconds. */
export const MAX_EVENT_DELAY_MS = 10_000

/** Facts about a release in addition to its objects. */
export interface Background {
  /** Whether the gate of this revision has passed, so that its Jobs were seen to complete. */
  readonly hasPassed?: boolean
  /**
   * The time until which events of a deleted Job may still arrive, by the cluster's clock in milliseconds.
   */
  readonly eventsDeadline?: number
  /** How many pods of each Deployment and DaemonSet need not be available. Defaults to none. */
  readonly unavailable?: Allowance | undefined
}

/** Returns the health of all these objects by their observed state; pure. */
export function evaluate(
  gated: readonly GatedObject[],
  seen: Observation,
  background: Background = {},
): Health {
  return combineHealth(
    gated.map((one) => {
      const {resource, namespace, name, manifestFields} = one
      const live = seen.object(resource, namespace, name)
      if (!live) return absentHealth(one, seen, background)
      // Lists omit the kind of their items.
      const around = resource.isAlone ? NO_OBJECTS : seen.namespaceObjects(namespace)
      const namespaceObjects = resource.readsNodes ? {...around, nodes: seen.nodes()} : around
      return resource.health({...live, kind: resource.kind}, namespaceObjects, {
        ...manifestFields,
        unavailable: background.unavailable,
      })
    }),
  )
}

function absentHealth(
  {resource, namespace, name, mayVanish, manifestFields}: GatedObject,
  seen: Observation,
  {hasPassed = false, eventsDeadline}: Background,
): Health {
  const {kind} = resource
  const about = {object: objectName({kind, metadata: {name}}), ...(namespace && {namespace})}
  if (!mayVanish)
    return {state: 'waiting', blames: [{...about, message: 'it does not exist', reason: 'NotFound'}]}
  const gone = seen.gone(resource, namespace, name)
  if (gone && hasCompleted(gone)) return HEALTHY
  const ended = gone && resource.health({...gone, kind}, NO_OBJECTS, manifestFields)
  if (ended?.state === 'failed') return ended
  if (gone) return {state: 'unknown', blames: [{...about, message: DELETED_EARLY, reason: NOT_SEEN}]}
  if (hasPassed) return HEALTHY
  const causes = [{...about, message: 'it is gone, and was not seen to complete', reason: NOT_SEEN}]
  return eventsDeadline === undefined
    ? {state: 'unknown', blames: causes}
    : {state: 'waiting', blames: causes, until: eventsDeadline}
}

/** The message of a Job, or of a pod, that was deleted while it ran. */
export const DELETED_EARLY = 'it was deleted before it had completed'
/** The reason of a Job whose outcome is unknown. */
export const NOT_SEEN = 'NotSeenToComplete'
