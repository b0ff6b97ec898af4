import {redactSecretsOf} from '../../redact/objects.ts'
import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, type Resource, resourcePath} from '../api/resources.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'
import {redactHealth} from './cause.ts'
import {
  allGatedObjects,
  type Background,
  collectionKey,
  collectionsOf,
  evaluate,
  type Gating,
  leftToScalers,
} from './evaluate.ts'
import type {Health} from './health.ts'
import type {Observed} from './kinds/observed.ts'
import {observation, type SeenCollection} from './observation.ts'

type HealthNow = (
  namespace: string,
  objects: readonly KubernetesObject[],
  background?: Background,
) => Promise<Health>

/**
 * Returns a reader of health by lists, without a watch. Calls while a list is under way share it, for many releases
 * live in one namespace.
 */
export function healthByLists(client: ApiClient, gating: Gating): HealthNow {
  const underWay = new Map<string, Promise<SeenCollection>>()

  function list(resource: Resource, namespace: string): Promise<SeenCollection> {
    const key = collectionKey({resource, namespace})
    const shared =
      underWay.get(key) ?? listOnce(client, resource, namespace).finally(() => underWay.delete(key))
    underWay.set(key, shared)
    return shared
  }

  return async (namespace, objects, background) => {
    const gated = await allGatedObjects(gating, namespace, objects)
    const wanted = collectionsOf(gated)
    const seen = await Promise.all(wanted.map((one) => list(one.resource, one.namespace)))
    const byKey = new Map(wanted.map((one, index) => [collectionKey(one), seen[index]!]))
    const look = observation(
      (resource, home) => byKey.get(collectionKey({resource, namespace: home})) ?? NOTHING,
    )
    const expected = await leftToScalers(gated, look, gating)
    return redactHealth(evaluate(expected, look, background), redactSecretsOf(objects))
  }
}

const NOTHING: SeenCollection = {get: () => undefined, all: () => []}

async function listOnce(client: ApiClient, resource: Resource, namespace: string): Promise<SeenCollection> {
  const {items} = await listAll<Observed>(client, {
    path: resourcePath(resource, namespace),
    asked: asking('list', resource, namespace),
  })
  const byName = new Map(items.map((item) => [item.metadata.name, item]))
  return {get: (name) => byName.get(name), all: () => items}
}
