import type {Observed, Pod} from '../gate/kinds/observed.ts'

interface CollectionStore {
  get(name: string): Observed | undefined
  all(): readonly Observed[]
  /** Adds or replaces an object; returns false if a newer version of it is present. */
  put(object: Observed): boolean
  remove(object: Observed): boolean
  /** Returns the last state of a deleted object that no other object owned, e.g. the outcome of a Job. */
  gone(name: string): Observed | undefined
  /** Discards the last state of a deleted object of this name. */
  forget(name: string): void
  /** Replaces all objects by a list of this resourceVersion, except newer ones. */
  replace(items: readonly Observed[], resourceVersion: string): void
}

/**
 * Returns a store of objects by name. Reads and watch events may arrive in any order, and the newest wins:
 * the resource versions of one kind are ordered as integers (Kubernetes 1.35: KEP-5504; true of etcd ever
 * since).
 */
export function collectionStore(): CollectionStore {
  const objects = new Map<string, Observed>()
  /** The last version of each object, deleted ones included: a late read must not restore them. */
  const versions = new Map<string, number>()
  const ended = new Map<string, Observed>()

  function update(
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

  function keepOutcome(object: Observed): void {
    if (object.metadata.ownerReferences === undefined) ended.set(object.metadata.name, outcome(object))
  }

  return {
    get: (name) => objects.get(name),
    all: () => [...objects.values()],
    put: (object) => update(object, withoutManagedFields(object)),
    remove(object) {
      const isChange = update(object, undefined)
      if (isChange) keepOutcome(object)
      return isChange
    },
    gone: (name) => ended.get(name),
    forget: (name) => void ended.delete(name),
    replace(items, resourceVersion) {
      const listed = new Set(items.map((item) => item.metadata.name))
      for (const object of [...objects.values()]) {
        if (listed.has(object.metadata.name)) continue
        if (update(object, undefined, Number(resourceVersion))) keepOutcome(object)
      }
      for (const item of items) update(item, withoutManagedFields(item))
    },
  }
}

/** Returns the identity and outcome of an object. */
function outcome({metadata: {name, namespace, uid}, ...rest}: Observed): Observed {
  const {phase, conditions} = (rest as Pod).status ?? {}
  return {
    metadata: {name, ...(namespace && {namespace}), ...(uid && {uid})},
    ...{status: {...(phase && {phase}), ...(conditions && {conditions})}},
  }
}

/** Returns an object without `managedFields`, which are half of a pod's size. */
function withoutManagedFields(object: Observed): Observed {
  if (!('managedFields' in object.metadata)) return object
  const {managedFields: _, ...metadata} = object.metadata
  return {...object, metadata}
}
