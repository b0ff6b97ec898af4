import {CLAIMS, PODS, type Resource} from '../api/resources.ts'
import type {Health, KubernetesObject} from '../cluster.ts'
import {barePodHealth} from './kinds/bare-pod.ts'
import {daemonSetHealth} from './kinds/daemon-set.ts'
import {deploymentHealth} from './kinds/deployment.ts'
import {closed, combineHealth, HEALTHY, type HealthOf} from './kinds/health.ts'
import {jobHealth} from './kinds/job.ts'
import type {Observed, Surroundings} from './kinds/observed.ts'
import {statefulSetHealth} from './kinds/stateful-set.ts'

interface GatedKind extends Resource {
  readonly health: HealthOf<Observed>
}

/** An object that was applied and whose health is awaited. */
export interface GatedObject {
  readonly resource: GatedKind
  readonly namespace: string
  readonly name: string
  /** A Job that the cluster deletes by itself when it has ended: its absence says nothing. */
  readonly mayVanish: boolean
}

/** What has been seen of the cluster. */
export interface Observation {
  object(resource: Resource, namespace: string, name: string): Observed | undefined
  around(namespace: string): Surroundings
}

const apps = (kind: string, plural: string) => ({apiVersion: 'apps/v1', kind, plural, namespaced: true})

/** The kinds that have a notion of health; all others are healthy by existing. */
const GATED_KINDS: readonly GatedKind[] = [
  {...apps('Deployment', 'deployments'), health: deploymentHealth as HealthOf<Observed>},
  {...apps('StatefulSet', 'statefulsets'), health: statefulSetHealth as HealthOf<Observed>},
  {...apps('DaemonSet', 'daemonsets'), health: daemonSetHealth as HealthOf<Observed>},
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    plural: 'jobs',
    namespaced: true,
    health: jobHealth as HealthOf<Observed>,
  },
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

/** The collections that `evaluate` looks into. */
export function collectionsOf(gated: readonly GatedObject[]): {resource: Resource; namespace: string}[] {
  const wanted = gated.flatMap(({resource, namespace}) =>
    [resource, PODS, CLAIMS].map((of) => ({resource: of, namespace})),
  )
  return [...new Map(wanted.map((one) => [`${one.resource.kind} ${one.namespace}`, one])).values()]
}

/** The health of all these objects by what has been seen; pure. */
export function evaluate(gated: readonly GatedObject[], seen: Observation): Health {
  return combineHealth(
    gated.map(({resource, namespace, name, mayVanish}) => {
      const found = seen.object(resource, namespace, name)
      // Lists leave out the kind of their items.
      if (found) return resource.health({...found, kind: resource.kind}, seen.around(namespace))
      if (mayVanish) return HEALTHY
      const absent = {kind: resource.kind, metadata: {name, namespace}}
      return closed('waiting', absent, {message: 'it does not exist', pods: [], cause: {reason: 'NotFound'}})
    }),
  )
}
