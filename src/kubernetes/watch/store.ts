import type {Observed, Pod} from '../gate/kinds/observed.ts'

interface CollectionStore {
  get(name: string): Observed | undefined
  all(): readonly Observed[]
  /** Adds or replaces an object; returns false if a newer version of it is known. */
  put(object: Observed): boolean
  remove(object: Observed): boolean
  /** Returns the last state of an object that is gone and that no other object owned: how a Job has ended. */
  gone(name: string): Observed | undefined
  /** Forgets how an object of this name has ended. */
  forget(name: string): void
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
  const ended = new Map<string, Observed>()

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

  function remember(object: Observed): void {
    if (object.metadata.ownerReferences === undefined) ended.set(object.metadata.name, outcome(object))
  }

  return {
    get: (name) => objects.get(name),
    all: () => [...objects.values()],
    put: (object) => learn(object, lean(object)),
    remove(object) {
      const isNews = learn(object, undefined)
      if (isNews) remember(object)
      return isNews
    },
    gone: (name) => ended.get(name),
    forget: (name) => void ended.delete(name),
    replace(items, resourceVersion) {
      const listed = new Set(items.map((item) => item.metadata.name))
      for (const object of [...objects.values()]) {
        if (listed.has(object.metadata.name)) continue
        if (learn(object, undefined, Number(resourceVersion))) remember(object)
      }
      for (const item of items) learn(item, lean(item))
    },
  }
}

/** Returns what of an object says how it has ended. */
function outcome({metadata: {name, namespace, uid}, ...rest}: Observed): Observed {
  const {phase, conditions} = (rest as Pod).status ?? {}
  return {
    metadata: {name, ...(namespace && {namespace}), ...(uid && {uid})},
    ...{status: {...(phase && {phase}), ...(conditions && {conditions})}},
  }
}

/** Returns an object without `managedFields`, which make up half of a pod. */
function lean(object: Observed): Observed {
  if (!('managedFields' in object.metadata)) return object
  const {managedFields: _, ...metadata} = object.metadata
  return {...object, metadata}
}
