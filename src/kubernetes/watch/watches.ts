import type {ApiClient} from '../api/client.ts'
import type {Resource} from '../api/resources.ts'
import {type Collection, openCollection} from './collection.ts'

/** Collections by kind and namespace, each opened at its first use and then shared. */
export interface Watches {
  collection(resource: Resource, namespace: string): Collection
  close(): void
}

export function openWatches(client: ApiClient): Watches {
  const collections = new Map<string, Collection>()
  const closing = new AbortController()
  return {
    collection(resource, namespace) {
      const key = `${resource.apiVersion} ${resource.kind} ${namespace}`
      const collection = collections.get(key) ?? openCollection(client, resource, namespace, closing.signal)
      collections.set(key, collection)
      return collection
    },
    close: () => closing.abort(),
  }
}
