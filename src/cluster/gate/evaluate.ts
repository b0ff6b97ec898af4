import type {Discovery} from '../api/discovery.ts'
import {CLAIMS, DAEMON_SETS, DEPLOYMENTS, JOBS, PODS, type Resource, STATEFUL_SETS} from '../api/resources.ts'
import type {Health, KubernetesObject} from '../cluster.ts'
import {isBuiltIn} from '../custom-kinds.ts'
import {isHook} from '../helm-view.ts'
import {barePodHealth} from './kinds/bare-pod.ts'
import {customResourceHealth} from './kinds/custom-resource.ts'
import {daemonSetHealth} from './kinds/daemon-set.ts'
import {deploymentHealth} from './kinds/deployment.ts'
import {closed, combineHealth, HEALTHY, type HealthOf} from './kinds/health.ts'
import {jobHealth} from './kinds/job.ts'
import type {Observed, Surroundings} from './kinds/observed.ts'
import {statefulSetHealth} from './kinds/stateful-set.ts'
import {type ReadinessRules, ruleFor} from './readiness.ts'

interface GatedKind extends Resource {
  readonly health: HealthOf<Observed>
  /** Whether its health depends on the object alone, not on pods and claims. */
  readonly isAlone?: true
}

/** An object that was applied and whose health is awaited. */
export interface GatedObject {
  readonly resource: GatedKind
  readonly namespace: string
  readonly name: string
  /** Whether it is a Job that the cluster deletes by itself once it has ended, so that its absence says nothing. */
  readonly mayVanish: boolean
}

/** The objects of the cluster as they were last seen. */
export interface Observation {
  object(resource: Resource, namespace: string, name: string): Observed | undefined
  around(namespace: string): Surroundings
}

/** The kinds that have a notion of health; all others are healthy by existing. */
const GATED_KINDS: readonly GatedKind[] = [
  {...DEPLOYMENTS, health: deploymentHealth as HealthOf<Observed>},
  {...STATEFUL_SETS, health: statefulSetHealth as HealthOf<Observed>},
  {...DAEMON_SETS, health: daemonSetHealth as HealthOf<Observed>},
  {...JOBS, health: jobHealth as HealthOf<Observed>},
  {...PODS, health: barePodHealth as HealthOf<Observed>},
]

export function gatedObjects(namespace: string, objects: readonly KubernetesObject[]): GatedObject[] {
  return objects.flatMap(({apiVersion, kind, metadata, spec}) => {
    const resource = GATED_KINDS.find((gated) => gated.apiVersion === apiVersion && gated.kind === kind)
    if (resource === undefined) return []
    const mayVanish =
      typeof (spec as {ttlSecondsAfterFinished?: unknown} | undefined)?.ttlSecondsAfterFinished === 'number'
    return [{resource, namespace: metadata.namespace ?? namespace, name: metadata.name, mayVanish}]
  })
}

/** The inputs that decide the health of custom resources. */
export interface Gating {
  readonly discovery: Discovery
  readonly rules: ReadinessRules
  /** Returns whether the user may list and watch a kind: the roles of kk do not cover custom ones. */
  readonly maySee: (resource: Resource, namespace: string) => Promise<boolean>
  /** Returns the time by the cluster's clock, in milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Returns the gated objects, also custom resources and objects for which the environment has a rule. Those whose kind
 * the cluster does not serve, or the user may not see, are left out.
 */
export async function allGatedObjects(
  {discovery, rules, maySee, now}: Gating,
  namespace: string,
  objects: readonly KubernetesObject[],
): Promise<readonly GatedObject[]> {
  // Helm has waited for hooks, and may have deleted them.
  const custom = objects.filter(
    (object) => !isHook(object) && (!isBuiltIn(object.apiVersion) || ruleFor(rules, object)),
  )
  const seen = new Map<string, Promise<boolean>>()
  const sees = (resource: Resource, home: string) => {
    const key = collectionKey({resource, namespace: home})
    const known = seen.get(key) ?? maySee(resource, home)
    seen.set(key, known)
    return known
  }
  const found = await Promise.all(
    custom.map(async ({apiVersion, kind, metadata}): Promise<readonly GatedObject[]> => {
      const resource = await discovery.find(apiVersion, kind)
      if (!resource) return []
      const home = resource.namespaced ? (metadata.namespace ?? namespace) : ''
      if (!(await sees(resource, home))) return []
      const rule = ruleFor(rules, {apiVersion, kind})
      const judging = {rule, hasStatus: resource.hasStatus === true, now}
      const health = customResourceHealth(judging) as HealthOf<Observed>
      const gated = {...resource, health, isAlone: true} as const
      return [{resource: gated, namespace: home, name: metadata.name, mayVanish: false}]
    }),
  )
  return [...gatedObjects(namespace, objects), ...found.flat()]
}

/** Returns the collections that `evaluate` reads. */
export function collectionsOf(gated: readonly GatedObject[]): {resource: Resource; namespace: string}[] {
  const wanted = gated.flatMap(({resource, namespace}) =>
    (resource.isAlone ? [resource] : [resource, PODS, CLAIMS]).map((of) => ({resource: of, namespace})),
  )
  return [...new Map(wanted.map((one) => [collectionKey(one), one])).values()]
}

export function collectionKey({resource, namespace}: {resource: Resource; namespace: string}): string {
  return `${resource.apiVersion} ${resource.kind} ${namespace}`
}

const NOTHING_AROUND: Surroundings = {pods: [], claim: () => undefined}

/** Returns the health of all these objects by what has been seen; pure. */
export function evaluate(gated: readonly GatedObject[], seen: Observation): Health {
  return combineHealth(
    gated.map(({resource, namespace, name, mayVanish}) => {
      const found = seen.object(resource, namespace, name)
      // Lists leave out the kind of their items.
      if (found) {
        const around = resource.isAlone ? NOTHING_AROUND : seen.around(namespace)
        return resource.health({...found, kind: resource.kind}, around)
      }
      if (mayVanish) return HEALTHY
      const absent = {kind: resource.kind, metadata: {name, namespace}}
      return closed('waiting', absent, {message: 'it does not exist', pods: [], cause: {reason: 'NotFound'}})
    }),
  )
}
