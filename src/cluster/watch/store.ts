import type {Observed} from '../gate/kinds/observed.ts'

interface CollectionStore {
  get(name: string): Observed | undefined
  all(): readonly Observed[]
  /** Adds or replaces an object; returns false if a newer version of it is known. */
  put(object: Observed): boolean
  remove(object: Observed): boolean
  /** Replaces all objects by a list of this resourceVersion, except those that are newer. */
  replace(items: readonly Observed[], resourceVersion: string): void
}

/**
 * Returns a store of objects by name. Reads and watch events may come in any order, and the newest wins: the resource
 * versions of one kind are ordered as integers (Kubernetes 1.35: KEP-5504; true of etcd ever since).
 */
export function collectionStore(): CollectionStore {
  const objects = new Map<string, Observed>()
  /** The last version of each object, also of those that are gone: a late read must not bring them back. */
  const versions = new Map<string, number>()

  function learn(
    {metadata}: Observed,
    object: Observed | undefined,
    version = Number(metadata.resourceVersion),
  ): boolean {
    if (version < (versions.get(metadata.name) ?? 0)) return false
    versions.set(metadata.name, version)
    if (object) objects.set(metadata.name, object)
    else objects.delete(metadata.name)
    return true
  }

  return {
    get: (name) => objects.get(name),
    all: () => [...objects.values()],
    put: (object) => learn(object, lean(object)),
    remove: (object) => learn(object, undefined),
    replace(items, resourceVersion) {
      const listed = new Set(items.map((item) => item.metadata.name))
      for (const object of [...objects.values()]) {
        if (!listed.has(object.metadata.name)) learn(object, undefined, Number(resourceVersion))
      }
      for (const item of items) learn(item, lean(item))
    },
  }
}

/** Returns an object without `managedFields`, which make up half of a pod. */
function lean(object: Observed): Observed {
  if (!('managedFields' in object.metadata)) return object
  const {managedFields: _, ...metadata} = object.metadata
  return {...object, metadata}
}
