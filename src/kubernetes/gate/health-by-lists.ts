import {redactSecretsOf} from '../../redact/objects.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {type Resource, requestText, resourcePath} from '../api/resources.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {redactHealth} from './cause.ts'
import {
  allGatedObjects,
  type Background,
  collectionKey,
  collectionsOf,
  type HealthInputs,
  withoutScaledReplicas,
} from './evaluate.ts'
import {explainedHealth} from './explained-health.ts'
import type {Health} from './health.ts'
import type {Observed} from './kinds/observed.ts'
import {observation, type SeenCollection} from './observation.ts'
import {serviceStatusReader} from './service-status.ts'

type HealthReader = (
  namespace: string,
  objects: readonly KubernetesObject[],
  background?: Background,
) => Promise<Health>

/**
 * Returns a reader of health by lists, without a watch. Concurrent calls share a list, because many releases
 * live in one namespace.
 */
export function healthByLists(client: ApiClient, gating: HealthInputs): HealthReader {
  const pending = new Map<string, Promise<SeenCollection>>()

  function list(resource: Resource, namespace: string): Promise<SeenCollection> {
    const key = collectionKey({resource, namespace})
    const shared =
      pending.get(key) ?? listOnce(client, resource, namespace).finally(() => pending.delete(key))
    pending.set(key, shared)
    return shared
  }

  return async (namespace, objects, background) => {
    const gated = await allGatedObjects(gating, namespace, objects)
    const wanted = collectionsOf(gated)
    const seen = await Promise.all(wanted.map((one) => list(one.resource, one.namespace)))
    const byKey = new Map(wanted.map((one, index) => [collectionKey(one), seen[index]!]))
    const observed = observation(
      (resource, namespace) => byKey.get(collectionKey({resource, namespace})) ?? EMPTY_COLLECTION,
      gating.now(),
    )
    const expected = await withoutScaledReplicas(gated, observed, gating)
    const explain = serviceStatusReader(client, namespace)
    const health = await explainedHealth(expected, observed, {...background, explain})
    return redactHealth(health, redactSecretsOf(objects))
  }
}

const EMPTY_COLLECTION: SeenCollection = {get: () => undefined, all: () => []}

async function listOnce(client: ApiClient, resource: Resource, namespace: string): Promise<SeenCollection> {
  const {items} = await listAll<Observed>(client, {
    path: resourcePath(resource, namespace),
    summary: requestText('list', resource, namespace),
  })
  const byName = new Map(items.map((item) => [item.metadata.name, item]))
  return {get: (name) => byName.get(name), all: () => items}
}
